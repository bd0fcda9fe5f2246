import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { NodeId, TreeId } from '../../../hub/protocol/node.js';
import { PROGRAM, withCli } from '../../support/cli.js';
import { connectTo } from '../../support/hub.js';
import { KEYS, withTerminal } from '../../support/terminal.js';

/** One of each kind, between letters. */
const SIGNS = [
  '\u200b',
  '\u200e',
  '\u2060',
  '\u2064',
  '\ufeff',
  '\u{e0072}',
  '\ufe01',
  '\u202e',
  '\u2066',
  '\u00ad',
  '\u061c',
];
const HOSTILE = `word${SIGNS.map((sign) => `${sign}x`).join('')} \x7f\x9b31m\x90end`;
const RAW = new RegExp(`[^\\P{Cc}\\0-\\x1f]|${SIGNS.join('|')}`, 'u');

const COMMANDS: readonly (readonly string[])[] = [
  ['show', '@'],
  ['show', '@', '--json'],
  ['context', '@'],
  ['context', '@', '--json'],
  ['context', '@', '--model'],
  ['list'],
  ['list', '--json'],
  ['leaves', '@'],
  ['leaves', '@', '--json'],
  ['branches', '@'],
  ['log', '@'],
  ['log', '@', '--json'],
  ['search', 'word'],
  ['search', 'word', '--json'],
  ['compare', '@', 'root', '@'],
  ['export', '@', '--format', 'json'],
  ['export', '@', '--format', 'jsonl'],
  ['export', '@', '--format', 'markdown'],
  ['export', '@', '--format', 'text'],
  ['mark', '@'],
  ['mark', '@', '--json'],
  ['exec', '@', `printf '%s' '${HOSTILE.replaceAll('\x7f', '')}'`],
  ['exec', '@', `printf '%s' '${HOSTILE.replaceAll('\x7f', '')}'`, '--json'],
  ['output', '@'],
  ['output', '@', '--json'],
  ['nonsense', HOSTILE, '--json'],
  ['show', HOSTILE],
];

test('on a terminal no command writes a sign that is not seen: text shows it, JSON escapes it', async () => {
  await withCli(async ({ home, folder, print }) => {
    const client = await connectTo(home);
    try {
      const tree = TreeId.parse((await client.call('loom.tree_create', { name: 'notes' })).id);
      await print('use', tree);
      let parent = NodeId.parse(tree);
      for (const role of ['user', 'assistant'] as const) {
        const blocks = [{ type: 'text' as const, text: HOSTILE }];
        const made = await client.call('loom.node_create_text', { tree, parent, role, blocks });
        parent = made.node.id;
      }
      await client
        .call('loom.mark_set', { tree, name: 'here\u200bthere' as never, node: parent })
        .catch(() => undefined);
      for (const words of COMMANDS) {
        const start = {
          ...{ command: process.execPath, args: [PROGRAM, ...words], cwd: folder },
          env: { COGNITION_HOME: home, HOME: folder, PAGER: 'cat' },
        };
        const raw = await withTerminal(start, async (terminal) => {
          await terminal.exited;
          return terminal.raw();
        });
        expect({ words, found: RAW.exec(raw)?.[0] }).toEqual({ words, found: undefined });
        expect({ words, isEmpty: raw === '' }).toEqual({ words, isEmpty: false });
      }
    } finally {
      await client.close();
    }
  });
}, 120_000);

test('in a chat, where one reads, in the tree and in its names they are shown', async () => {
  await withCli(async ({ home, folder, print }) => {
    const tree = TreeId.parse((await print('new', 'notes')).trim());
    const client = await connectTo(home);
    let at = '';
    try {
      const blocks = [{ type: 'text' as const, text: HOSTILE }];
      const parent = NodeId.parse(tree);
      const { node } = await client.call('loom.node_create_text', { tree, parent, role: 'user', blocks });
      await client.call('loom.node_create_text', { tree, parent: node.id, role: 'assistant', blocks });
      at = node.id;
    } finally {
      await client.close();
    }
    const start = {
      ...{
        command: process.execPath,
        args: [PROGRAM, 'chat', tree, '--at', at],
        cwd: folder,
        reflowsCursorLine: false,
      },
      env: { COGNITION_HOME: home, HOME: folder, TERM_PROGRAM: 'vscode' },
    };
    await withTerminal(start, async (terminal) => {
      await terminal.waitFor('Commands: /help');
      const seen = '<U+200B>';
      expect(terminal.transcript().join('\n')).toContain(seen);
      terminal.type(KEYS.escape);
      await terminal.waitFor((rows) => /NORMAL/.test(rows.at(-1) ?? '') && rows.join('').includes(seen));
      terminal.type(KEYS.escape);
      await terminal.waitFor((rows) => /Enter go/.test(rows.at(-1) ?? '') && rows.join('').includes(seen));
      terminal.type('q');
      await terminal.waitFor('INSERT');
      expect(RAW.exec(terminal.raw())?.[0]).toBeUndefined();
    });
  });
});

test('what is printed as JSON goes through one function', () => {
  const root = fileURLToPath(new URL('../../../cli', import.meta.url));
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const around = files.filter((name) =>
    /(?:write|print|note|add)\w*\((?:[^()]|\([^()]*\))*JSON\.stringify/.test(readFileSync(join(root, name), 'utf8')),
  );
  // Another program gets its JSON as it is.
  expect(around).toEqual(['transfer/history/codex_thread.ts']);
});
