import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { readFile, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { HubError } from '../../hub/base/error.js';
import { hintText } from '../../hub/base/hint.js';
import { noSqlite, packageProblem } from '../../hub/base/sqlite/no_sqlite.js';
import { nodeSqlite } from '../../hub/base/sqlite/node_sqlite.js';
import { environment, VERSION } from '../../hub/config/config.js';
import type { ResultOf } from '../../hub/protocol/methods/method_table.js';
import type { Context } from '../command_line/command_context.js';
import { reasonOf } from '../output/failure.js';
import { isUnicodeLocale } from '../output/terminal_look.js';
import { parseState } from '../position/session_file.js';
import type { Check } from '../render/reports/doctor_report.js';
import { count, formatBytes } from '../render/text/ids_and_counts.js';
import { modelAccess } from '../turn/model_access.js';

const NODE_MAJOR_MIN = 20;
const FREE_BYTES_MIN = 256 * 1024 * 1024;
const WAL_BYTES_MAX = 256 * 1024 * 1024;
const BASH_MS_MAX = 10_000;
const PROBE_MS_MAX = 20_000;
const PROBE = `
const Database = require('better-sqlite3');
console.log(new Database(':memory:').prepare('select sqlite_version()').pluck().get());
`;

/** Checks everything that the program depends on. A check that fails does not keep the others from running. */
export async function checksOf(context: Context): Promise<Check[]> {
  return [
    checkNode(),
    await checkStorageLibrary(),
    ...(await checkHub(context)),
    await checkBash(),
    ...(await checkTools(context)),
    checkDatabases(context),
    await checkModel(context),
    checkHome(context.paths.home),
    await checkDisk(context.paths.home),
    checkWal(context.paths.database),
    await checkSession(context.paths.session),
    checkLocale(),
    checkTerminal(context),
  ];
}

function checkNode(): Check {
  const { node } = process.versions;
  if (Number(node.split('.')[0]) >= NODE_MAJOR_MIN) return ok('node', node);
  return fail('node', node, `install Node ${NODE_MAJOR_MIN} or newer`);
}

/** Loads the native module in a process of its own: this process does not use it. */
async function checkStorageLibrary(): Promise<Check> {
  const cwd = dirname(fileURLToPath(import.meta.url));
  try {
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', PROBE], { cwd, timeout: PROBE_MS_MAX });
    return ok('better-sqlite3', `loads, SQLite ${stdout.trim()}`);
  } catch (error) {
    const reason = /Error: ([\s\S]*)/.exec(reasonOf(error))?.[1] ?? reasonOf(error);
    if (nodeSqlite() !== null)
      return ok('node:sqlite', `SQLite ${process.versions.sqlite} of Node serves: ${packageProblem(reason)}`);
    const { message, hint } = noSqlite(reason);
    return fail('better-sqlite3', message, hintText(hint ?? ''));
  }
}

async function checkHub(context: Context): Promise<Check[]> {
  try {
    const client = await context.client();
    const health = await client.call('health.check', {});
    const version = `version ${health.version}, process ${health.pid}`;
    return [
      health.version === VERSION ? ok('hub', version) : warn('hub', version, 'cognition hub stop'),
      health.status === 'ok'
        ? ok('storage', `works, SQLite ${health.sqlite}`)
        : fail('storage', 'only reads since a write to disk failed', 'repair the disk, then: cognition hub stop'),
      ok('socket', health.endpoint),
    ];
  } catch (error) {
    return [fail('hub', reasonOf(error), fixOf(error) ?? 'cognition hub logs')];
  }
}

async function checkBash(): Promise<Check> {
  try {
    const { stdout } = await promisify(execFile)('bash', ['--version'], { timeout: BASH_MS_MAX });
    return ok('bash', /version (\S+)/.exec(stdout)?.[1] ?? 'of an unknown version');
  } catch (error) {
    return fail('bash', reasonOf(error), 'install bash: exec runs every command in it');
  }
}

async function checkTools(context: Context): Promise<Check[]> {
  try {
    const client = await context.client();
    const report = await client.call('tools.check', {});
    const facts = [
      `process ${report.pid}`,
      formatBytes(report.memory_bytes),
      `${count(report.running, 'command')} running`,
    ];
    return [ok('tools', facts.join(', ')), checkSandbox(report)];
  } catch (error) {
    return [fail('tools', reasonOf(error), fixOf(error) ?? 'cognition hub logs')];
  }
}

/** A working sandbox is ok; where a better one is possible, the check says how to get it. */
function checkSandbox({ sandbox }: ResultOf<'tools.check'>): Check {
  const { kind, holds, problem, hint } = sandbox;
  const why = problem === null ? '' : `; ${problem}`;
  if (kind === 'none') return warn('sandbox', `none works here${why}`, hint);
  return { ...ok('sandbox', `${kind}: ${count(holds.length, 'way')} out tried, all closed${why}`), fix: hint, holds };
}

function checkDatabases({ preferences }: Context): Check {
  const names = [...preferences.connections.keys()];
  return ok('databases', names.length === 0 ? 'none is configured' : names.join(', '));
}

/** Which model answers in a new conversation, and whether there is a key, which is never shown. */
async function checkModel(context: Context): Promise<Check> {
  const access = modelAccess(context.preferences);
  try {
    const client = await context.client();
    const usual = context.preferences.get('model') || null;
    const { model, key_pending } = await client.call('agent.check', { access, usual_model: usual });
    if (key_pending !== null) return ok('model', `${model}, whose key a command of yours prints`);
    const provider = model.slice(0, model.indexOf('/'));
    const { providers } = await client.call('agent.providers', { access });
    const isKeyless = providers.some(({ name, needs_key }) => name === provider && !needs_key);
    const without = isKeyless ? 'which needs no key' : 'without a key';
    return ok('model', `${model}, ${access[provider]?.key == null ? without : 'with the key of your environment'}`);
  } catch (error) {
    return warn('model', `none: ${reasonOf(error)}`, fixOf(error));
  }
}

function checkHome(home: string): Check {
  const stats = existsSync(home) ? statSync(home) : undefined;
  if (stats === undefined) return warn('home', `${home} is not there yet`, null);
  if (!stats.isDirectory()) return fail('home', `${home} is not a folder`, 'set COGNITION_HOME to a folder');
  if (process.getuid !== undefined && stats.uid !== process.getuid()) {
    return fail('home', `${home} belongs to somebody else`, 'set COGNITION_HOME to a folder of your own');
  }
  if ((stats.mode & 0o077) !== 0) return warn('home', `${home} is open to others`, `chmod 700 ${home}`);
  return ok('home', home);
}

async function checkDisk(home: string): Promise<Check> {
  let folder = home;
  while (!existsSync(folder)) folder = dirname(folder);
  const { bavail, bsize } = await statfs(folder);
  const free = `${formatBytes(bavail * bsize)} free`;
  return bavail * bsize >= FREE_BYTES_MIN ? ok('disk', free) : warn('disk', free, 'make room before it is full');
}

function checkWal(database: string): Check {
  const path = `${database}-wal`;
  const size = existsSync(path) ? statSync(path).size : 0;
  if (size <= WAL_BYTES_MAX) return ok('write-ahead log', formatBytes(size));
  return warn('write-ahead log', formatBytes(size), 'cognition hub stop   (the next start folds it in)');
}

async function checkSession(path: string): Promise<Check> {
  if (!existsSync(path)) return ok('session', 'no conversation has been used yet');
  if (statSync(path).isFile() && parseState(await readFile(path, 'utf8')) !== null) return ok('session', path);
  return warn('session', `${path} is corrupt`, 'the next command sets it aside; then: cognition use <tree>');
}

function checkLocale(): Check {
  const name = environment('LC_ALL') ?? environment('LC_CTYPE') ?? environment('LANG') ?? 'not set';
  if (isUnicodeLocale()) return ok('locale', name);
  return warn('locale', `${name}: trees are drawn in ASCII`, 'set LANG to a UTF-8 locale, such as C.UTF-8');
}

function checkTerminal({ screen }: Context): Check {
  if (!screen.isTty) return ok('terminal', 'none: the output goes to a file or a program');
  return ok('terminal', `${environment('TERM') ?? 'unknown'}, ${screen.columns} x ${screen.rows}`);
}

function ok(about: string, found: string): Check {
  return { about, verdict: 'ok', found, fix: null };
}

function warn(about: string, found: string, fix: string | null): Check {
  return { about, verdict: 'warn', found, fix };
}

function fail(about: string, found: string, fix: string): Check {
  return { about, verdict: 'fail', found, fix };
}

function fixOf(error: unknown): string | null {
  return error instanceof HubError && error.hint !== null ? hintText(error.hint) : null;
}
