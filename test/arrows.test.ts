import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { folderCycles, folderGraph } from '../.dev/folder_graph.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const Report = z.object({
  summary: z.object({ violations: z.array(z.object({ from: z.string(), rule: z.object({ name: z.string() }) })) }),
});

// A program in which every import is allowed.
const allowed: Record<string, string> = {
  'hub/protocol/node.ts': "import 'zod';",
  'hub/protocol/limits.ts': '',
  'hub/protocol/call_facts.ts': '',
  'hub/base/call_title.ts': '',
  'hub/base/head_and_tail.ts': '',
  'hub/base/error.ts': "import type {} from '../protocol/node.js';",
  'hub/base/plugin.ts': "import type {} from '../protocol/node.js'; import '../protocol/limits.js';",
  'hub/config/config.ts': "import '../base/error.js';",
  'hub/wire/frame_limits.ts': "import '../base/error.js';",
  'hub/base/sqlite/better_sqlite.ts': "import 'better-sqlite3';",
  'hub/home/hub_lock.ts': "import '../base/sqlite/better_sqlite.js'; import '../config/config.js';",
  'hub/client/client.ts':
    "import type {} from '../protocol/node.js'; import '../protocol/call_facts.js'; import '../wire/frame_limits.js'; import '../home/hub_lock.js'; import 'ws';",
  'hub/server/server.ts': "import '../home/hub_lock.js'; import '../base/plugin.js'; import '../protocol/node.js';",
  'hub/start/main.ts':
    "import '../server/server.js'; import '../../loom/loom_plugin.js'; import '../../tools/bash/bash_plugin.js';",
  'loom/tree.ts': '',
  'loom/loom_plugin.ts':
    "import '../hub/base/plugin.js'; import '../hub/protocol/node.js'; import '../hub/base/call_title.js'; import './store/store.js';",
  'loom/store/store.ts': "import '../../hub/base/sqlite/better_sqlite.js';",
  'tools/agents/history/claude_history.ts': "import type {} from '../../../hub/protocol/node.js';",
  'tools/base/tool_parts.ts': '',
  'tools/bash/bash_plugin.ts': "import '../../hub/base/plugin.js'; import '../base/tool_parts.js';",
  'tools/file/file_plugin.ts': "import '../../hub/base/head_and_tail.js';",
  'tools/start/main.ts': "import '../bash/bash_plugin.js'; import '../../hub/client/client.js';",
  'cli/web/page/core/tree_columns.ts': '',
  'cli/web/page/parts/outline.ts':
    "import '../core/tree_columns.js'; import '../../../../hub/base/call_title.js'; import type {} from '../../../../hub/protocol/node.js'; import 'marked';",
  'cli/web/outline_rows.ts': "import './page/core/tree_columns.js';",
  'cli/main.ts': "import './commands/show.js'; import './repl/chat.js';",
  'cli/commands/show.ts': "import '../position/session_file.js';",
  'cli/repl/chat.ts': "import '../commands/show.js';",
  'cli/position/session_file.ts':
    "import type {} from '../../hub/protocol/node.js'; import '../../hub/client/client.js'; import '../../hub/config/config.js'; import '../render/look/style.js'; import '../../loom/tree.js';",
  'cli/render/look/style.ts':
    "import 'chalk'; import '../../../loom/tree.js'; import '../../../hub/base/call_title.js';",
  'test/some.test.ts':
    "import '../cli/main.js'; import '../hub/start/main.js'; import '../tools/start/main.js'; import '../tools/file/file_plugin.js';",
};

// Each line is one forbidden import: the rule that must refuse it, the file, what it imports.
const forbidden: [rule: string, file: string, imported: string][] = [
  ['the-page-runs-in-a-browser', 'cli/web/page/parts/outline.ts', 'node:fs'],
  ['the-page-runs-in-a-browser', 'cli/web/page/parts/outline.ts', 'ws'],
  ['the-page-runs-in-a-browser', 'cli/web/page/parts/outline.ts', '../../../position/session_file.js'],
  ['the-page-stands-alone', 'cli/web/outline_rows.ts', './page/parts/outline.js'],
  ['protocol-imports-only-zod', 'hub/protocol/node.ts', '../base/error.js'],
  ['protocol-imports-only-zod', 'hub/protocol/node.ts', 'node:fs'],
  ['base-imports-only-the-protocol', 'hub/base/error.ts', '../config/config.js'],
  ['loom-knows-base-and-protocol', 'loom/loom_plugin.ts', '../tools/bash/bash_plugin.js'],
  ['loom-knows-base-and-protocol', 'loom/store/store.ts', '../../hub/server/server.js'],
  ['loom-knows-base-and-protocol', 'loom/store/store.ts', '../../hub/config/config.js'],
  ['tools-reach-the-hub-as-clients-do', 'tools/base/tool_parts.ts', '../../hub/server/server.js'],
  ['tools-reach-the-hub-as-clients-do', 'tools/bash/bash_plugin.ts', '../../loom/tree.js'],
  ['plugins-meet-through-the-hub', 'tools/bash/bash_plugin.ts', '../file/file_plugin.js'],
  ['hub-knows-no-plugin', 'hub/server/server.ts', '../../loom/loom_plugin.js'],
  ['hub-knows-no-front', 'hub/server/server.ts', '../../cli/position/session_file.js'],
  ['only-roots-compose', 'hub/server/server.ts', '../start/main.js'],
  ['only-roots-compose', 'tools/base/tool_parts.ts', '../start/main.js'],
  ['histories-are-pure', 'tools/agents/history/claude_history.ts', 'node:fs'],
  ['histories-are-pure', 'tools/agents/history/claude_history.ts', '../../base/tool_parts.js'],
  ['cli-is-thin', 'cli/position/session_file.ts', '../../hub/server/server.js'],
  ['cli-is-thin', 'cli/position/session_file.ts', '../../loom/store/store.js'],
  ['commands-are-listed-by-the-roots', 'cli/position/session_file.ts', '../commands/show.js'],
  ['commands-know-no-chat', 'cli/commands/show.ts', '../repl/chat.js'],
  ['pure-functions-stand-alone', 'loom/tree.ts', '../hub/base/error.js'],
  ['pure-functions-stand-alone', 'hub/base/call_title.ts', 'node:path'],
  ['pure-functions-stand-alone', 'hub/base/head_and_tail.ts', './error.js'],
  ['client-knows-protocol-by-type', 'cli/position/session_file.ts', '../../hub/protocol/node.js'],
  ['client-knows-protocol-by-type', 'hub/client/client.ts', 'zod'],
  ['client-knows-protocol-by-type', 'hub/base/error.ts', '../protocol/node.js'],
  ['client-is-small', 'hub/client/client.ts', '../server/server.js'],
  ['sqlite-behind-the-store', 'loom/loom_plugin.ts', 'better-sqlite3'],
  ['a-model-sdk-behind-its-provider', 'hub/server/server.ts', 'openai'],
  ['a-model-sdk-behind-its-provider', 'hub/server/server.ts', '@google/genai/web'],
  ['chalk-behind-the-style', 'cli/position/session_file.ts', 'chalk'],
  ['renderers-are-pure', 'cli/render/look/style.ts', 'node:fs'],
  ['renderers-are-pure', 'cli/render/look/style.ts', '../../place/session_file.js'],
  ['renderers-are-pure', 'cli/render/look/style.ts', '../../../hub/client/client.js'],
  ['no-tests-in-the-program', 'cli/position/session_file.ts', '../../test/some.test.js'],
  ['no-development-packages', 'cli/position/session_file.ts', 'vitest'],
  ['no-unresolvable', 'cli/position/session_file.ts', './nowhere.js'],
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
    'cli/chick.ts': "import type {} from './nest.js';",
    'cli/nest.ts': "import type {} from './chick.js';",
  };
  for (const [, file, imported] of forbidden) broken[file] = `${broken[file] ?? ''} import '${imported}';`;
  await write(broken);
  const found = await violations();
  const missed = forbidden.filter(([rule, file]) => !found.includes(`${rule} ${file}`));
  expect(missed).toEqual([]);
  expect(found).toEqual(
    expect.arrayContaining(['no-orphans hub/orphan.ts', 'no-cycles cli/egg.ts', 'no-cycles cli/chick.ts']),
  );
});

test('no folder needs a folder that needs it', () => {
  expect(folderCycles(folderGraph(root))).toEqual([]);
});

test('folders that need each other are found, over any number of folders, and imports of types do not count', async () => {
  await write({
    'hub/first/one.ts': "import '../second/one.js';",
    'hub/second/one.ts': '',
    'hub/second/two.ts': "export const two = () => import('../third/one.js');",
    'hub/third/one.ts': "import { type A, b } from '../first/one.js';",
    'hub/fourth/one.ts': "import type {} from '../fifth/one.js';",
    'hub/fifth/one.ts': "import { type A } from '../fourth/one.js'; import '../fourth/two.js';",
    'hub/fourth/two.ts': '',
    'cli/one.ts': '',
    'loom/one.ts': '',
    'tools/one.ts': '',
  });
  expect(folderCycles(folderGraph(folder))).toEqual(['hub/first hub/second hub/third']);
});
