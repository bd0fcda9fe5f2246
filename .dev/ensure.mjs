// Makes a fresh clone ready to run: installs what is missing, builds what is old. Needs nothing but Node and npm.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { hasSqlite } from './own_sqlite.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const NODE_MIN = [20, 3];
const SOURCES = ['cli', 'hub', 'loom', 'tools', '.dev', 'package.json', 'package-lock.json'];

/** Installs and builds as far as that is needed; prints nothing when nothing is. Returns whether it was built. */
export function ensure() {
  ensureInstalled();
  if (isBuilt()) return false;
  say('building, which takes a second or two …');
  run(process.execPath, [join(ROOT, '.dev', 'build.mjs'), '--no-types']);
  return true;
}

/** Installs the packages if that is needed. */
export function ensureInstalled() {
  refuseUnsupported();
  if (isInstalled() && hasSqlite(ROOT)) return;
  const { status } = spawnSync(process.execPath, [join(ROOT, '.dev', 'install.mjs'), ROOT], {
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) process.exit(1);
}

function refuseUnsupported() {
  if (process.platform === 'win32') fail('Windows is not supported; it runs in WSL');
  const [major, minor] = process.versions.node.split('.').map(Number);
  const isOld = major < NODE_MIN[0] || (major === NODE_MIN[0] && minor < NODE_MIN[1]);
  if (isOld) fail(`Node ${NODE_MIN.join('.')} or newer is needed; this is ${process.versions.node}`);
}

/** Whether node_modules holds what package-lock.json names; npm keeps a copy of what it installed. */
function isInstalled() {
  const installedPath = join(ROOT, 'node_modules', '.package-lock.json');
  if (!existsSync(installedPath)) return false;
  const installed = JSON.parse(readFileSync(installedPath, 'utf8')).packages;
  const wanted = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages;
  return Object.entries(wanted).every(([path, { version, optional }]) => {
    if (path === '') return true;
    // Packages for other systems are optional and not installed here.
    return installed[path] === undefined ? optional === true : installed[path].version === version;
  });
}

function isBuilt() {
  const stamp = join(ROOT, 'dist', '.built');
  if (!existsSync(stamp)) return false;
  const builtAtMs = statSync(stamp).mtimeMs;
  return SOURCES.every((source) => changedAtMs(join(ROOT, source)) <= builtAtMs);
}

/**
 * How the declarations of the client library are: `none`, `old` or `new`. Those of sources that do not compile are not
 * tried again before the sources change.
 */
export function typesState() {
  if (!existsSync(join(ROOT, 'dist', 'types'))) return 'none';
  const tried = join(ROOT, 'dist', '.types');
  const triedAtMs = existsSync(tried) ? statSync(tried).mtimeMs : 0;
  return changedAtMs(join(ROOT, 'hub')) <= triedAtMs ? 'new' : 'old';
}

/** When a file changed, or the newest below a folder. */
function changedAtMs(path) {
  if (!existsSync(path)) return 0;
  const { mtimeMs } = statSync(path);
  if (!statSync(path).isDirectory()) return mtimeMs;
  return Math.max(mtimeMs, ...readdirSync(path).map((name) => changedAtMs(join(path, name))));
}

function run(command, parameters) {
  // What a tool prints goes to stderr: stdout belongs to the program that is started afterwards.
  const { status, error } = spawnSync(command, parameters, { cwd: ROOT, stdio: ['ignore', 2, 2] });
  if (error) fail(`${command} could not be started: ${error.message}`);
  if (status !== 0) fail(`${command} ${parameters.join(' ')} failed`);
}

function say(text) {
  console.error(`cognition: ${text}`);
}

function fail(text) {
  say(text);
  process.exit(1);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) ensure();
