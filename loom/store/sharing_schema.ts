/** The steps of the schema from when trees are shared. A released one is never edited, and what comes later comes after them. */
export const SHARING_STEPS: readonly string[] = [
  `
  -- Which trees are shared over which remote: what has been sent, by the numbers of the feed, and fetched, by the remote's own.
  CREATE TABLE shares (
    tree INTEGER NOT NULL REFERENCES trees (tree), remote TEXT NOT NULL, sent INTEGER NOT NULL, fetched INTEGER NOT NULL,
    PRIMARY KEY (tree, remote)
  ) STRICT, WITHOUT ROWID;

  -- Name, archive state and marks of shared trees, with who wrote them last, and when: of two hubs the later one decides.
  CREATE TABLE registers (
    tree  INTEGER NOT NULL REFERENCES trees (tree), key TEXT NOT NULL,
    value TEXT NOT NULL,              -- JSON
    at_ms INTEGER NOT NULL, hub TEXT NOT NULL, PRIMARY KEY (tree, key)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Nodes of shared trees whose children came in another order than they were made in.
  CREATE TABLE reordered_parents (
    tree INTEGER NOT NULL REFERENCES trees (tree), node INTEGER NOT NULL, PRIMARY KEY (tree, node)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Whose the nodes from remotes are: ranges of their numbers, by the hub that has sent them; and what hubs call themselves.
  CREATE TABLE origins (
    tree INTEGER NOT NULL REFERENCES trees (tree), first INTEGER NOT NULL, last INTEGER NOT NULL, hub TEXT NOT NULL,
    PRIMARY KEY (tree, first)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE hubs (id TEXT PRIMARY KEY, name TEXT NOT NULL) STRICT, WITHOUT ROWID;
  `,
  `
  -- The folder whose recorded files go along with a shared tree; null for none. Sent counts snapshots, fetched what the remote counts.
  ALTER TABLE shares ADD COLUMN project TEXT;
  ALTER TABLE shares ADD COLUMN files_sent INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE shares ADD COLUMN files_fetched INTEGER NOT NULL DEFAULT 0;
  `,
];
