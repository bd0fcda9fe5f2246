import { ARCHIVED_STEP } from './row_sums.js';
import { SHARING_STEPS } from './sharing_schema.js';

/**
 * The database, as numbered steps. A step that has been released is never edited: a change is a new step.
 * `user_version` is the number of steps taken.
 *
 * Foreign keys stand only where an index answers them in both directions; without one, deleting a tree of n
 * nodes would read a table n times. The other links are held by the writing calls, and fsck proves them.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value ANY NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE trees (
    tree           INTEGER PRIMARY KEY AUTOINCREMENT,
    id             BLOB NOT NULL UNIQUE,
    origin         TEXT NOT NULL,     -- RFC 8785 JSON of the arguments it was created with: tells a retry from a clash
    name           TEXT,
    project        TEXT,
    owner_tree     BLOB,
    owner_node     BLOB,
    created_at_ms  INTEGER NOT NULL,
    archived_at_ms INTEGER,
    importing      INTEGER NOT NULL DEFAULT 0,
    -- Derived, kept in step with every append; fsck proves them.
    title          TEXT NOT NULL DEFAULT '',
    updated_at_ms  INTEGER NOT NULL,
    last_seq       INTEGER NOT NULL,
    node_count     INTEGER NOT NULL DEFAULT 0,
    message_count  INTEGER NOT NULL DEFAULT 0,
    branch_count   INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE UNIQUE INDEX trees_by_name ON trees (name)
    WHERE name IS NOT NULL AND archived_at_ms IS NULL AND importing = 0;
  CREATE INDEX trees_by_activity ON trees (last_seq);
  CREATE INDEX trees_by_owner ON trees (owner_tree) WHERE owner_tree IS NOT NULL;

  CREATE TABLE settings (
    settings INTEGER PRIMARY KEY,
    sha256   BLOB NOT NULL UNIQUE,
    body     TEXT NOT NULL            -- RFC 8785 JSON
  ) STRICT;

  -- seq is the row's number: nodes and changes draw it from one counter, so one number orders the feed.
  -- What drawing a tree needs stands before the blocks, so that long texts are not read for it.
  CREATE TABLE nodes (
    seq           INTEGER PRIMARY KEY,
    id            BLOB NOT NULL UNIQUE,
    tree          INTEGER NOT NULL REFERENCES trees (tree),
    parent        INTEGER REFERENCES nodes (seq),
    depth         INTEGER NOT NULL,
    role          TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    step          BLOB,
    step_index    INTEGER,
    step_size     INTEGER,
    settings      INTEGER,
    hash          BLOB NOT NULL,
    tool          TEXT,
    exit_code     INTEGER,
    preview       TEXT NOT NULL,
    external      TEXT,               -- JSON, null for a text node
    blocks        TEXT NOT NULL       -- JSON
  ) STRICT;
  CREATE INDEX nodes_by_tree ON nodes (tree);
  CREATE INDEX nodes_by_parent ON nodes (parent);

  -- Which stored outputs a node points at, so that a purge knows what nobody needs any more.
  CREATE TABLE node_outputs (
    node   INTEGER NOT NULL REFERENCES nodes (seq),
    sha256 BLOB NOT NULL,
    PRIMARY KEY (node, sha256)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX node_outputs_by_sha256 ON node_outputs (sha256);

  CREATE TABLE marks (
    tree      INTEGER NOT NULL REFERENCES trees (tree),
    name      TEXT NOT NULL,
    node      INTEGER NOT NULL,
    set_at_ms INTEGER NOT NULL,
    PRIMARY KEY (tree, name)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE archived_branches (
    node           INTEGER PRIMARY KEY REFERENCES nodes (seq),
    tree           INTEGER NOT NULL REFERENCES trees (tree),
    archived_at_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX archived_branches_by_tree ON archived_branches (tree);

  -- Everything of the feed that is not a node; body is the event as it is sent, without seq.
  CREATE TABLE changes (
    seq     INTEGER PRIMARY KEY,
    tree_id BLOB NOT NULL,
    body    TEXT NOT NULL
  ) STRICT;

  CREATE TABLE turns (
    turn          INTEGER PRIMARY KEY,
    id            BLOB NOT NULL UNIQUE,
    tree          INTEGER NOT NULL REFERENCES trees (tree),
    node          INTEGER NOT NULL,
    tip           INTEGER NOT NULL,
    state         TEXT NOT NULL,
    started_at_ms INTEGER NOT NULL,
    ended_at_ms   INTEGER
  ) STRICT;
  CREATE INDEX turns_by_tree ON turns (tree);
  CREATE INDEX turns_running ON turns (state) WHERE state = 'running';

  -- The step under way: one row for the assistant message (call is ''), one per finished call.
  CREATE TABLE turn_journal (
    turn INTEGER NOT NULL REFERENCES turns (turn),
    call TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (turn, call)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- What people say to a turn. It becomes the node of the same id, whose seq is noted; pending while both ends are null.
  CREATE TABLE inputs (
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    id            BLOB NOT NULL UNIQUE,
    turn          INTEGER NOT NULL REFERENCES turns (turn),
    kind          TEXT NOT NULL,
    added_at_ms   INTEGER NOT NULL,
    dropped_at_ms INTEGER,
    node          INTEGER,
    blocks        TEXT NOT NULL       -- RFC 8785 JSON
  ) STRICT;
  CREATE INDEX inputs_by_turn ON inputs (turn);
  CREATE INDEX inputs_pending ON inputs (turn) WHERE node IS NULL AND dropped_at_ms IS NULL;

  -- One row per request that went to a model provider. The answer's node is named by its id: the bill is on the disk
  -- before the step is. Requests do not travel with an export: they were paid for in this home, once.
  CREATE TABLE requests (
    request               INTEGER PRIMARY KEY AUTOINCREMENT,
    id                    BLOB NOT NULL UNIQUE,
    tree                  INTEGER NOT NULL REFERENCES trees (tree),
    turn                  INTEGER NOT NULL REFERENCES turns (turn),
    parent                INTEGER NOT NULL REFERENCES nodes (seq),
    node_id               BLOB,
    provider              TEXT NOT NULL,
    model                 TEXT NOT NULL,
    started_at_ms         INTEGER NOT NULL,
    ended_at_ms           INTEGER,
    outcome               TEXT NOT NULL,
    tokens_in             INTEGER,    -- null, like the other tokens, when nobody counted
    tokens_out            INTEGER,
    tokens_cache_read     INTEGER,
    tokens_cache_write_5m INTEGER,
    tokens_cache_write_1h INTEGER,
    price_microdollars    INTEGER,    -- null when it is not known
    estimate              INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX requests_by_tree ON requests (tree);
  CREATE INDEX requests_by_turn ON requests (turn);
  CREATE INDEX requests_by_parent ON requests (parent);
  CREATE INDEX requests_by_node ON requests (node_id) WHERE node_id IS NOT NULL;
  CREATE INDEX requests_by_start ON requests (started_at_ms);
  CREATE INDEX requests_running ON requests (outcome) WHERE outcome = 'running';
  `,
  `
  -- What a turn asks a person; open while there is no answer. A call's id is the model's own and may come twice in a turn, so
  -- a question is known by the id of the node that its answer becomes.
  CREATE TABLE questions (
    question INTEGER PRIMARY KEY AUTOINCREMENT,
    id       BLOB NOT NULL UNIQUE,
    turn     INTEGER NOT NULL REFERENCES turns (turn),
    call     TEXT NOT NULL,
    body     TEXT NOT NULL,           -- JSON: its kind, its text and what can be chosen
    answer   TEXT
  ) STRICT;
  CREATE INDEX questions_by_turn ON questions (turn);
  CREATE INDEX turns_waiting ON turns (turn) WHERE state = 'waiting';
  `,
  `
  -- A step is archived whole: no archived branch begins in the middle of one.
  INSERT INTO archived_branches (node, tree, archived_at_ms)
    SELECT first.seq, a.tree, a.archived_at_ms FROM archived_branches a
    JOIN nodes n ON n.seq = a.node JOIN nodes first ON first.id = n.step
    WHERE n.step_index > 0 ON CONFLICT DO NOTHING;
  DELETE FROM archived_branches WHERE (SELECT n.step_index FROM nodes n WHERE n.seq = node) > 0;
  UPDATE trees SET branch_count = (
    WITH RECURSIVE hidden (seq) AS (
      SELECT a.node FROM archived_branches a WHERE a.tree = trees.tree
      UNION SELECT n.seq FROM hidden CROSS JOIN nodes n ON n.parent = hidden.seq
    )
    SELECT count(*) FROM nodes n
    WHERE n.tree = trees.tree AND n.seq NOT IN (SELECT seq FROM hidden)
      AND NOT EXISTS (SELECT 1 FROM nodes c WHERE c.parent = n.seq AND c.seq NOT IN (SELECT seq FROM hidden))
  ) WHERE tree IN (SELECT tree FROM archived_branches);
  `,
  `
  -- Files beside the database that are removed at a time: what a purge has freed at once, an output that no node has come for
  -- a day after it was stored. The row goes when the removal is on the disk, or a node has come.
  CREATE TABLE loose_files (
    kind         TEXT NOT NULL,        -- 'output', 'log' or 'index'
    name         TEXT NOT NULL,        -- the SHA-256 of an output, the tree of a log
    remove_at_ms INTEGER NOT NULL,
    PRIMARY KEY (kind, name)
  ) STRICT, WITHOUT ROWID;

  -- A checksum of what lists show of a node; null in rows of earlier versions.
  ALTER TABLE nodes ADD COLUMN listing_sum INTEGER;
  `,
  `
  -- What a file brought: where its commands ended is no place of anybody here, and what it tells a model counts when a
  -- person has said so. Of what was imported before nothing is known: it is as it was.
  ALTER TABLE nodes ADD COLUMN imported INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE settings ADD COLUMN untrusted INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- Which files a project had at a node. The first row of a node says what it is about, the last of a tree what it was last.
  CREATE TABLE snapshots (
    snapshot INTEGER PRIMARY KEY AUTOINCREMENT,
    tree     INTEGER NOT NULL REFERENCES trees (tree),
    node     INTEGER NOT NULL,
    folder   BLOB NOT NULL,           -- SHA-256 of the project's real path
    root     BLOB NOT NULL,           -- names the files in the store of the tools
    at_ms    INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX snapshots_by_tree ON snapshots (tree, folder);
  CREATE INDEX snapshots_by_folder ON snapshots (folder, node);
  `,
  `
  -- before a turn, after a step or a command, or left there by a person: of these the last row of a node says what it is
  -- about, where it was left for that node alone. stood: somebody went there. carried: what lies in the folder beside.
  ALTER TABLE snapshots ADD COLUMN kind TEXT NOT NULL DEFAULT 'after';

  -- Folders in which single turns work. copied: what a snapshot tells of such a folder, and not of the project's.
  CREATE TABLE copies (
    turn    BLOB PRIMARY KEY,         -- its id; the turn may not have begun
    tree    INTEGER NOT NULL REFERENCES trees (tree),
    node    INTEGER NOT NULL,
    folder  BLOB NOT NULL,
    project TEXT NOT NULL,
    label   TEXT NOT NULL,
    "check" TEXT,
    base    BLOB NOT NULL,
    at_ms   INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX copies_by_tree ON copies (tree);
  `,
  `
  -- The node that a conversation begins with a copy of the path to, and its tree; either may be gone.
  ALTER TABLE trees ADD COLUMN fork_tree BLOB;
  ALTER TABLE trees ADD COLUMN fork_node BLOB;
  CREATE INDEX trees_by_fork ON trees (fork_tree) WHERE fork_tree IS NOT NULL;
  `,
  `
  -- Checksums of what is shown of trees, marks and changes; null in rows of earlier versions, and in a tree's between a change and the end
  -- of its transaction: a change that forgets the sum leaves a row unchecked, and never a good one for damaged.
  ALTER TABLE trees ADD COLUMN row_sum INTEGER;
  ALTER TABLE marks ADD COLUMN row_sum INTEGER;
  ALTER TABLE changes ADD COLUMN row_sum INTEGER;
  CREATE TRIGGER trees_changed AFTER UPDATE OF id, name, title, project, owner_tree, owner_node, fork_tree, fork_node,
    created_at_ms, updated_at_ms, archived_at_ms, importing, node_count, message_count, branch_count, last_seq ON trees
  WHEN new.row_sum IS NOT NULL AND new.row_sum IS old.row_sum
  BEGIN
    UPDATE trees SET row_sum = NULL WHERE tree = new.tree;
  END;
  `,
  `
  -- What a program says of a node for itself: RFC 8785 JSON of an object, part of the hash; null for nothing.
  ALTER TABLE nodes ADD COLUMN meta TEXT;
  CREATE INDEX nodes_with_meta ON nodes (tree) WHERE meta IS NOT NULL;
  `,
  ...SHARING_STEPS,
  ARCHIVED_STEP,
];
