import { HubError } from '../base/error.js';
import { cliCommand } from '../base/hint.js';
import type { Remote } from './remote_connection.js';
import { FILES_STEP } from './schema/files_schema.js';
import { GUARD_STEP } from './schema/guard_schema.js';
import { PUBLISH_STEP } from './schema/publish_schema.js';
import { TASK_FUNCTIONS, TASK_STEP } from './schema/task_schema.js';
import { TURNS_STEP } from './schema/turns_schema.js';

/** Partitions of the entries: one of them is still small where the whole has a thousand million. */
const PARTITIONS = 16;

/** What a remote is made of, as numbered steps. A step that has been released is never edited. */
const STEPS: readonly string[] = [
  `
  CREATE TABLE cognition.hubs (
    id uuid PRIMARY KEY, person text NOT NULL, machine text NOT NULL, program text NOT NULL,
    seen_at timestamptz NOT NULL DEFAULT now()
  );
  -- last numbers the entries: taking numbers locks the row, so they are in the order of commits.
  CREATE TABLE cognition.trees (
    id uuid PRIMARY KEY, last bigint NOT NULL DEFAULT 0, owner uuid, name text, title text NOT NULL DEFAULT '',
    nodes bigint NOT NULL DEFAULT 0, hub uuid NOT NULL, updated_at timestamptz NOT NULL DEFAULT now(), purged_at timestamptz
  );
  CREATE INDEX ON cognition.trees (owner) WHERE owner IS NOT NULL;
  CREATE TABLE cognition.entries (
    tree uuid NOT NULL, n bigint NOT NULL, id text NOT NULL, hub uuid NOT NULL, body text NOT NULL,
    PRIMARY KEY (tree, n), UNIQUE (tree, id)
  ) PARTITION BY HASH (tree);
  ${Array.from(
    { length: PARTITIONS },
    (_, part) =>
      `CREATE TABLE cognition.entries_${part} PARTITION OF cognition.entries FOR VALUES WITH (MODULUS ${PARTITIONS}, REMAINDER ${part});`,
  ).join('\n  ')}
  CREATE TABLE cognition.outputs (
    sha256 text NOT NULL, piece int NOT NULL, bytes bytea NOT NULL, PRIMARY KEY (sha256, piece)
  );
  CREATE TABLE cognition.tree_outputs (
    tree uuid NOT NULL, sha256 text NOT NULL, pieces int NOT NULL, PRIMARY KEY (tree, sha256)
  );
  `,
  PUBLISH_STEP,
  TURNS_STEP,
  TASK_STEP,
  FILES_STEP,
  GUARD_STEP,
];

export const SCHEMA_VERSION = STEPS.length;
const ROLES = ['cognition_reader', 'cognition_writer'] as const;
// Two that begin at once must not make it twice.
const LOCK = 7_203_814_402;

/** Makes what is missing. The roles are made where the login may make any. */
export async function prepareRemote(remote: Remote): Promise<{ version: number; made: boolean; roles: string[] }> {
  return remote.inTransaction(async () => {
    await remote.query(`SELECT pg_advisory_xact_lock(${LOCK})`);
    const before = (await remoteVersion(remote)) ?? 0;
    refuseNewer(remote, before);
    if (before === 0) {
      await remote.query('CREATE SCHEMA IF NOT EXISTS cognition');
      await remote.query('CREATE TABLE cognition.version (version int NOT NULL)');
      await remote.query('INSERT INTO cognition.version VALUES (0)');
    }
    for (const step of STEPS.slice(before)) await remote.query(step);
    await remote.query('UPDATE cognition.version SET version = $1', [SCHEMA_VERSION]);
    return { version: SCHEMA_VERSION, made: before < SCHEMA_VERSION, roles: await grantRoles(remote) };
  });
}

/** The version of what is there; null where nothing is. */
export async function remoteVersion(remote: Remote): Promise<number | null> {
  const [there] = await remote.query<{ there: string | null }>(
    "SELECT to_regclass('cognition.version')::text AS there",
  );
  if (there?.there == null) return null;
  const [row] = await remote.query<{ version: string }>('SELECT version FROM cognition.version');
  return row === undefined ? null : Number(row.version);
}

/** Fails where the remote is not one that this program can share over. */
export async function requirePrepared(remote: Remote): Promise<void> {
  const version = await remoteVersion(remote);
  refuseNewer(remote, version ?? 0);
  if (version === SCHEMA_VERSION) return;
  const what = version === null ? 'is not prepared for sharing' : 'was prepared by an older cognition';
  throw new HubError('not_found', `the database of ${remote.name} ${what}`, {
    hint: ['who owns it prepares it: ', cliCommand('remote init', remote.name)],
  });
}

function refuseNewer({ name }: Remote, version: number): void {
  if (version <= SCHEMA_VERSION) return;
  throw new HubError(
    'version',
    `the remote ${name} was prepared by a newer cognition (${version}, this one knows ${SCHEMA_VERSION})`,
    {
      hint: 'use the newer version here, too',
    },
  );
}

async function grantRoles(remote: Remote): Promise<string[]> {
  await remote.query(`DO $$ BEGIN
    ${ROLES.map((role) => `IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${role}') THEN CREATE ROLE ${role} NOLOGIN; END IF;`).join(' ')}
    EXCEPTION WHEN insufficient_privilege THEN NULL; END $$`);
  const found = await remote.query<{ rolname: string }>(
    'SELECT rolname FROM pg_roles WHERE rolname = ANY($1) ORDER BY 1',
    [[...ROLES]],
  );
  const roles = found.map(({ rolname }) => rolname);
  for (const role of roles) {
    await remote.query(`GRANT USAGE ON SCHEMA cognition TO ${role}`);
    await remote.query(`GRANT SELECT ON ALL TABLES IN SCHEMA cognition TO ${role}`);
  }
  if (roles.includes('cognition_writer')) {
    await remote.query('REVOKE INSERT, UPDATE ON ALL TABLES IN SCHEMA cognition FROM cognition_writer');
    await remote.query(
      'GRANT EXECUTE ON FUNCTION cognition.lease, cognition.renew, cognition.say, cognition.answer TO cognition_writer',
    );
    const functions = ['greet', 'publish', 'publish_files', 'put_piece', 'keep_output', ...TASK_FUNCTIONS].map(
      (name) => `cognition.${name}`,
    );
    await remote.query(`GRANT EXECUTE ON FUNCTION ${functions.join(', ')} TO cognition_writer`);
  }
  return roles;
}
