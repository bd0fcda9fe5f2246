import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

async function inFolder(work: (folder: string) => void | Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'cognition-packages-'));
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runModule(text: string): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, ['--input-type=module', '-e', text], { cwd: ROOT, encoding: 'utf8' });
}

test('a build is refused when a package is installed that is bundled, or one is not that is read at run time', () => {
  const { status, stderr } = runModule(`
    import { requireDeclared, unbundledOf } from './.dev/unbundled.mjs';
    const imports = ['better-sqlite3', '@a/b/c', 'node:fs', 'fs', './chat.cjs'].map((path) => ({ path, external: true }));
    requireDeclared(unbundledOf([{ outputs: { 'x.js': { imports } } }]), { 'better-sqlite3': '1', zod: '4' });`);
  expect({ status, error: /^Error: .*$/m.exec(stderr)?.[0] }).toEqual({
    status: 1,
    error:
      'Error: package.json: @a/b is not bundled: it belongs to optionalDependencies; zod is bundled: it belongs to devDependencies',
  });
});

test('declarations bring along what they name of packages that are not installed', () =>
  inFolder((folder) => {
    mkdirSync(join(folder, 'deep'));
    writeFileSync(join(folder, 'deep', 'a.d.ts'), "import type { z } from 'zod';\nimport type { B } from './b.js';\n");
    const call = `bundleDeclarations(${JSON.stringify(folder)}, ${JSON.stringify(ROOT)})`;
    expect(runModule(`import { bundleDeclarations } from './.dev/declarations.mjs'; await ${call};`).stderr).toBe('');
    expect(readFileSync(join(folder, 'deep', 'a.d.ts'), 'utf8')).toBe(
      "import type { z } from '../packages/zod/index.cjs';\nimport type { B } from './b.js';\n",
    );
    const first = readFileSync(join(folder, 'packages', 'zod', 'index.d.cts'), 'utf8');
    const [, next = ''] = /from "\.\/(.*)\.cjs"/.exec(first) ?? [];
    expect(readFileSync(join(folder, 'packages', 'zod', `${next}.d.cts`), 'utf8')).toContain('export');
  }));

/** Three packages to install, and a program in the place of npm. */
function prepare(folder: string, npm: string): void {
  const packages = { '': {}, 'node_modules/a': {}, 'node_modules/b': {}, 'node_modules/c': { optional: true } };
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages }));
  writeFileSync(join(folder, 'npm'), `#!/bin/sh\n${npm}\n`);
  chmodSync(join(folder, 'npm'), 0o755);
}

/** Runs the installer over them. */
function install(folder: string, npm: string, node = process.execPath): SpawnSyncReturns<string> {
  prepare(folder, npm);
  const { npm_config_nodedir: _, ...own } = process.env;
  const env = { ...own, PATH: `${folder}:${process.env.PATH}` };
  return spawnSync(node, [join(ROOT, '.dev', 'install.mjs'), folder], { encoding: 'utf8', env });
}

/** What npm leaves where the package is compiled or fetched. */
const COMPILED =
  'mkdir -p node_modules/better-sqlite3/build/Release; touch node_modules/better-sqlite3/build/Release/better_sqlite3.node';

test('whoever installs is told how much there is, and that it is there', () =>
  inFolder((folder) => {
    const { status, stdout, stderr } = install(folder, `for p in a b; do mkdir -p node_modules/$p; done; ${COMPILED}`);
    expect({ status, stdout, lines: stderr.split('\n').filter((line) => !line.includes(' of 2 ')) }).toEqual({
      status: 0,
      stdout: '',
      lines: [
        'cognition: installing 2 packages (SQLite may be compiled, which takes some minutes) …',
        expect.stringMatching(/^cognition: installed in \d+ s$/),
        '',
      ],
    });
  }));

test('Ctrl-C while packages are installed ends npm, too', () =>
  inFolder(async (folder) => {
    prepare(folder, 'echo begun >&2; exec sleep 1000');
    const installer = spawn(process.execPath, [join(ROOT, '.dev', 'install.mjs'), folder], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, PATH: `${folder}:${process.env.PATH}` },
    });
    let told = '';
    installer.stderr.on('data', (data: Buffer) => {
      told += data.toString();
      if (told.includes('begun')) installer.kill('SIGINT');
    });
    // It closes when npm holds it no longer.
    const [code] = await once(installer, 'close');
    expect(code).toBe(130);
  }));

/** What an installer says and does here, and on a Node that brings an SQLite of that version. */
function onNode(folder: string, sqlite: string, npm: string): SpawnSyncReturns<string> {
  const node = join(folder, 'node');
  const preload = join(folder, 'preload.cjs');
  writeFileSync(preload, `Object.defineProperty(process.versions, 'sqlite', { value: '${sqlite}' });\n`);
  writeFileSync(node, `#!/bin/sh\nexec "${process.execPath}" --require "${preload}" "$@"\n`);
  chmodSync(node, 0o755);
  return install(folder, npm, node);
}

test('where SQLite is neither fetched nor compiled, and Node brings none that serves, the installer names three ways', () =>
  inFolder((folder) => {
    const { status, stderr } = onNode(folder, '3.51.2', 'echo "gyp ERR! find Python" >&2; exit 1');
    expect(status).toBe(1);
    expect(stderr).toContain(
      'gyp ERR! find Python\ncognition: npm ci failed\ncognition: where SQLite could be neither',
    );
    expect(stderr).toContain('apt-get install python3 make g++');
    // npm leaves the package out, and succeeds.
    const left = onNode(folder, '3.51.2', 'exit 0');
    expect([left.status, left.stderr.includes('use Node 22.23, 24.15 or newer')]).toEqual([1, true]);
  }));

test('where nothing can be compiled and Node brings an SQLite that serves, the rest is installed', () =>
  inFolder((folder) => {
    const { status, stderr } = onNode(folder, '3.51.3', 'case "$*" in *--ignore-scripts*) ;; *) exit 1 ;; esac');
    expect({ status, lines: stderr.split('\n').filter((line) => !line.includes(' of 2 ')) }).toEqual({
      status: 0,
      lines: [
        'cognition: installing 2 packages (SQLite may be compiled, which takes some minutes) …',
        'cognition: npm ci failed; once more without what must be compiled, for this Node brings an SQLite of its own …',
        expect.stringMatching(/^cognition: installed in \d+ s$/),
        '',
      ],
    });
  }));

test('SQLite is compiled with the headers that came with this Node, if they are of its version', () =>
  inFolder((folder) => {
    const npm = 'echo "headers: $(printenv npm_config_nodedir || echo fetched)" >&2';
    const node = join(folder, 'bin', 'node');
    mkdirSync(join(folder, 'bin'));
    mkdirSync(join(folder, 'include', 'node'), { recursive: true });
    copyFileSync(process.execPath, node);
    const headersOf = (version: string): string => {
      const [major, minor, patch] = version.split('.');
      const lines = [`#define NODE_MAJOR_VERSION ${major}`, `#define NODE_MINOR_VERSION ${minor}`];
      const text = [...lines, `#define NODE_PATCH_VERSION ${patch}`, ''].join('\n');
      writeFileSync(join(folder, 'include', 'node', 'node_version.h'), text);
      return /^headers: (.*)$/m.exec(install(folder, npm, node).stderr)?.[1] ?? '';
    };
    expect(headersOf(process.versions.node)).toBe(folder);
    expect(headersOf('1.2.3')).toBe('fetched');
  }));
