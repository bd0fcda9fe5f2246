import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';

const root = fileURLToPath(new URL('..', import.meta.url));
const Report = z.object({
  summary: z.object({ violations: z.array(z.object({ from: z.string(), rule: z.object({ name: z.string() }) })) }),
});

// A program in which every import is allowed.
const allowed: Record<string, string> = {
  'hub/protocol/methods.ts': "import 'zod';",
  'hub/call_text.ts': '',
  'hub/excerpt.ts': '',
  'loom/tree.ts': '',
  'hub/error.ts': "import type {} from './protocol/methods.js';",
  'hub/plugin.ts': "import './protocol/methods.js';",
  'hub/config.ts': '',
  'hub/lifecycle.ts': "import './error.js'; import './config.js';",
  'hub/client.ts': "import type {} from './protocol/methods.js'; import './lifecycle.js'; import 'ws';",
  'hub/lock.ts': "import 'better-sqlite3';",
  'hub/server.ts': "import './lock.js'; import './plugin.js';",
  'hub/main.ts': "import './server.js'; import '../loom/plugin.js'; import '../tools/bash/plugin.js';",
  'loom/plugin.ts':
    "import '../hub/plugin.js'; import '../hub/error.js'; import '../hub/call_text.js'; import '../hub/protocol/methods.js'; import './store.js';",
  'loom/store.ts': "import 'better-sqlite3';",
  'tools/bash/plugin.ts': "import '../../hub/plugin.js'; import '../../hub/excerpt.js';",
  'tools/file/plugin.ts': "import '../../hub/plugin.js';",
  'cli/main.ts':
    "import '../hub/client.js'; import '../hub/config.js'; import './render/style.js'; import './session.js'; import '../loom/tree.js';",
  'cli/session.ts': "import type {} from '../hub/protocol/methods.js';",
  'cli/render/style.ts': "import 'chalk'; import '../../loom/tree.js'; import '../../hub/call_text.js';",
  'test/some.test.ts': "import '../cli/main.js'; import '../hub/main.js'; import '../tools/file/plugin.js';",
};

// Each line is one forbidden import: the rule that must refuse it, the file, what it imports.
const forbidden: [rule: string, file: string, imported: string][] = [
  ['protocol-imports-only-zod', 'hub/protocol/methods.ts', '../error.js'],
  ['protocol-imports-only-zod', 'hub/protocol/methods.ts', 'node:fs'],
  ['plugins-meet-through-the-hub', 'loom/plugin.ts', '../tools/bash/plugin.js'],
  ['plugins-meet-through-the-hub', 'tools/bash/plugin.ts', '../file/plugin.js'],
  ['plugins-meet-through-the-hub', 'loom/store.ts', '../hub/server.js'],
  ['plugins-meet-through-the-hub', 'loom/store.ts', '../hub/config.js'],
  ['hub-knows-no-plugin', 'hub/server.ts', '../loom/plugin.js'],
  ['hub-knows-no-client', 'hub/server.ts', '../cli/session.js'],
  ['cli-is-thin', 'cli/session.ts', '../hub/server.js'],
  ['cli-is-thin', 'cli/session.ts', '../loom/store.js'],
  ['pure-functions-stand-alone', 'loom/tree.ts', '../hub/error.js'],
  ['pure-functions-stand-alone', 'hub/call_text.ts', 'node:path'],
  ['pure-functions-stand-alone', 'hub/excerpt.ts', '../loom/tree.js'],
  ['client-knows-protocol-by-type', 'cli/session.ts', '../hub/protocol/methods.js'],
  ['client-knows-protocol-by-type', 'hub/client.ts', 'zod'],
  ['client-is-small', 'hub/client.ts', './server.js'],
  ['sqlite-behind-the-store', 'loom/plugin.ts', 'better-sqlite3'],
  ['a-model-sdk-behind-its-provider', 'hub/hub.ts', 'openai'],
  ['chalk-behind-the-style', 'cli/session.ts', 'chalk'],
  ['renderers-are-pure', 'cli/render/style.ts', 'node:fs'],
  ['renderers-are-pure', 'cli/render/style.ts', '../session.js'],
  ['renderers-are-pure', 'cli/render/style.ts', '../../hub/client.js'],
  ['no-tests-in-the-program', 'cli/session.ts', '../test/some.test.js'],
  ['no-development-packages', 'cli/session.ts', 'vitest'],
  ['no-unresolvable', 'cli/session.ts', './nowhere.js'],
];

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cognition-arrows-'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const name of ['tsconfig.json', 'package.json', '.dependency-cruiser.mjs'])
    await copyFile(join(root, name), join(folder, name));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function write(files: Record<string, string>): Promise<void> {
  for (const name of ['cli', 'hub', 'loom', 'tools', 'test'])
    await rm(join(folder, name), { recursive: true, force: true });
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), `${text}\nexport {};\n`);
  }
}

async function violations(): Promise<string[]> {
  const program = join(root, 'node_modules/.bin/depcruise');
  const given = ['--config', '.dependency-cruiser.mjs', '--output-type', 'json', 'cli', 'hub', 'loom', 'tools', 'test'];
  const stdout = await new Promise<string>((resolve) => {
    // It exits 1 when it has found something; what it found is on stdout.
    execFile(program, given, { cwd: folder, maxBuffer: 64 * 1024 * 1024 }, (_, text) => resolve(text));
  });
  return Report.parse(JSON.parse(stdout)).summary.violations.map(({ rule, from }) => `${rule.name} ${from}`);
}

test('a program that keeps to the arrows is accepted', async () => {
  await write(allowed);
  expect(await violations()).toEqual([]);
});

test('each forbidden import is refused by its rule', async () => {
  const broken: Record<string, string> = {
    ...allowed,
    'hub/orphan.ts': '',
    'cli/egg.ts': "import './hen.js';",
    'cli/hen.ts': "import './egg.js';",
  };
  for (const [, file, imported] of forbidden) broken[file] = `${broken[file] ?? ''} import '${imported}';`;
  await write(broken);
  const found = await violations();
  const missed = forbidden.filter(([rule, file]) => !found.includes(`${rule} ${file}`));
  expect(missed).toEqual([]);
  expect(found).toEqual(expect.arrayContaining(['no-orphans hub/orphan.ts', 'no-cycles cli/egg.ts']));
});
