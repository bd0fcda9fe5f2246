// Installs the packages with npm, and says how far that is. Usage: node .dev/install.mjs <root>
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hasOwnSqlite, hasSqlite } from './own_sqlite.mjs';

/** Between two lines: on a terminal the line is written over, so it may come more often. */
const LINE_MS = process.stderr.isTTY ? 500 : 5_000;
const WAYS = `cognition: where SQLite could be neither fetched nor compiled there are three ways:
  - have it compiled: python3, make and a C++ compiler (Debian, Ubuntu: apt-get install python3 make g++)
  - use Node 22.23, 24.15 or newer, which brings an SQLite of its own
  - let npm reach github.com, where it is there for most systems (npm's settings: proxy, https-proxy)`;

const root = process.argv[2];
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
const wanted = Object.entries(packages).filter(([path, { optional }]) => path !== '' && optional !== true);
const beganAtMs = Date.now();

say(`installing ${wanted.length} packages (SQLite may be compiled, which takes some minutes) …`);
let told = '';
const timer = setInterval(tell, LINE_MS);
const failure = await install();
if (failure === null || !hasOwnSqlite()) end(failure);
else {
  // Packages that are compiled keep the others from being installed where nothing can compile; the program needs none of them.
  say(`${failure}; once more without what must be compiled, for this Node brings an SQLite of its own …`);
  end(await install('--ignore-scripts'));
}

/** Runs npm; resolves to what failed, or null. */
function install(...more) {
  // What it leaves is installed anew the next time; it would go on for a minute, and write over the shell's prompt.
  process.once('SIGINT', () => {
    npm.kill('SIGKILL');
    process.exit(130);
  });
  // Its own progress would be drawn over ours.
  const npm = spawn('npm', ['ci', '--no-audit', '--no-fund', '--no-progress', '--loglevel=error', ...more], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    env: { ...ownHeaders(), ...process.env },
  });
  return new Promise((resolve) => {
    npm.on('error', (error) => resolve(`npm could not be started: ${error.message}`));
    npm.on('exit', (status) => resolve(status === 0 ? null : 'npm ci failed'));
  });
}

/** What lets a package be compiled with the headers that came with this Node, so that they are not fetched from nodejs.org. */
function ownHeaders() {
  const nodedir = dirname(dirname(realpathSync(process.execPath)));
  const version = join(nodedir, 'include', 'node', 'node_version.h');
  if (!existsSync(version)) return {};
  const text = readFileSync(version, 'utf8');
  const numbers = ['MAJOR', 'MINOR', 'PATCH'].map((part) => text.match(`NODE_${part}_VERSION (\\d+)`)?.[1]);
  return numbers.join('.') === process.versions.node ? { npm_config_nodedir: nodedir } : {};
}

/** How far it is: npm unpacks one package after the other, and runs their scripts when all are there. */
function progress() {
  const there = wanted.filter(([path]) => existsSync(join(root, path, 'package.json'))).length;
  const seconds = Math.round((Date.now() - beganAtMs) / 1000);
  const what =
    there === wanted.length
      ? 'all packages are here, SQLite is being prepared'
      : `${there} of ${wanted.length} packages`;
  return `${what}, ${seconds} s`;
}

function tell() {
  const text = progress();
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[Kcognition: ${text}`);
  else if (text !== told) say(text);
  told = text;
}

function end(failure) {
  clearInterval(timer);
  if (process.stderr.isTTY && told !== '') process.stderr.write('\r\x1b[K');
  if (failure === null) say(`installed in ${Math.round((Date.now() - beganAtMs) / 1000)} s`);
  else say(failure);
  // npm leaves out what is optional and fails.
  if (!hasSqlite(root)) console.error(WAYS);
  if (failure !== null || !hasSqlite(root)) process.exitCode = 1;
}

function say(text) {
  console.error(`cognition: ${text}`);
}
