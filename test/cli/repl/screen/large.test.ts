import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BEGIN_FRAME } from '../../../../cli/repl/terminal/sequences.js';
import type { Client } from '../../../../hub/client/client.js';
import { NodeId, TreeId } from '../../../../hub/protocol/node.js';
import { connectTo } from '../../../support/hub.js';
import { KEYS } from '../../../support/terminal.js';
import { after, withTalk } from '../conversation/talk.js';
import { idle, withTalkOnScreen } from './screen_talk.js';

/** A tree of one branch, and another one that is as long as is said. */
async function plantRun(client: Client, project: string, count: number): Promise<TreeId> {
  const tree = TreeId.parse(randomUUID());
  await client.call('loom.tree_create', { id: tree, project });
  let parent = NodeId.parse(tree);
  const calls: Promise<unknown>[] = [];
  for (let number = 0; number < count; number++) {
    const id = NodeId.parse(randomUUID());
    const said = { tree, parent, id, role: 'user' as const };
    const blocks = [{ type: 'text' as const, text: `note ${number}` }];
    calls.push(client.call('loom.node_create_text', { ...said, blocks }));
    parent = id;
  }
  await Promise.all(calls);
  return tree;
}

test('of a very large tree /tree draws what lies around the place where one stands', async () => {
  await withTalk(async ({ cli, notes }) => {
    const client = await connectTo(cli.home);
    const tree = await plantRun(client, cli.folder, 1_200);
    await client.close();
    const { stdout, stderr, code } = await notes(['/tree', '/back 1000', '/tree', '/switch zzzz'], tree);
    const drawings = stdout.split('> /tree\n').slice(1);
    expect(drawings[0]?.split('\n').slice(0, 400).at(-1)).toMatch(/^ User: note 1199 +● you are here$/);
    expect(after(stdout, '/back 1000')).toMatch(/User: note 199\b/);
    expect(drawings[1]).toMatch(/^ User: note 199 +● you are here$/m);
    expect(drawings[1]).not.toContain('User: note 1199');
    expect(stderr).toContain(`(these are 400 of 1,201 lines; all of them: cognition show ${tree.slice(0, 8)})`);
    expect(stderr).toContain('see them with: /tree --ids, or /leaves');
    expect(code).toBe(3);
  });
});

test('who stands at the beginning is offered the newest ends, and goes to one by its number', async () => {
  await withTalkOnScreen([], async ({ terminal, home, folder, another }) => {
    await terminal.waitFor('Commands: /help');
    const client = await connectTo(home);
    const tree = await plantRun(client, folder, 1);
    for (let number = 0; number < 15; number++) {
      const blocks = [{ type: 'text' as const, text: `end ${number}` }];
      await client.call('loom.node_create_text', { tree, parent: NodeId.parse(tree), role: 'user', blocks });
    }
    await client.close();
    await another([tree, '--at', 'root'], async (second) => {
      await second.waitFor('Commands: /help');
      const shown = second.transcript().join('\n');
      expect(shown.match(/^ *\d+\. .*end \d+/gm)).toHaveLength(10);
      expect(shown).toContain('/leaves lists more');
      second.type('/switch 2', KEYS.enter);
      await second.waitFor(/You are at [0-9a-f]{8} {2}User: end 13/);
    });
  });
});

const LINE = `${'y'.repeat(79)}\n`;
const MEBIBYTE = 1024 * 1024;

test('a paste of a megabyte is one word in the editor and is sent whole; what no message can hold comes back', async () => {
  await withTalkOnScreen([], async ({ terminal, server }) => {
    await terminal.waitFor('Commands: /help');
    terminal.paste(LINE.repeat(MEBIBYTE / LINE.length));
    await terminal.waitFor(/^> \[pasted \d+ lines\]$/m);
    terminal.type(KEYS.enter);
    await terminal.waitFor('Hello.');
    await idle(terminal);
    expect(server.requests.at(-1)?.text.length).toBeGreaterThan(MEBIBYTE);
    terminal.paste(LINE.repeat((9 * MEBIBYTE) / LINE.length));
    await terminal.waitFor(/^> \[pasted \d+ lines\]$/m);
    terminal.type(KEYS.enter);
    await terminal.waitFor('hint: keep large data in a file and name that file in the message');
    await terminal.waitFor(/^> \[pasted \d+ lines\]$/m);
    expect(server.requests).toHaveLength(1);
  });
});

test('however much a command prints, what is typed comes in between: no frame is long', async () => {
  await withTalkOnScreen([], async ({ terminal }) => {
    await terminal.waitFor('Commands: /help');
    terminal.type('!seq 400000', KEYS.enter, 'typed meanwhile');
    await terminal.waitFor((rows) => rows.includes('400000') && rows.includes('> typed meanwhile'));
    const frames = terminal.raw().split(BEGIN_FRAME);
    expect(Math.max(...frames.map(({ length }) => length))).toBeLessThan(150_000);
  });
});

test('a line of 20 MB in a script is refused, one of a megabyte is said, and blanks are nothing', async () => {
  await withTalk(async ({ server, chat }) => {
    const { code, stdout, stderr } = await chat(['x'.repeat(20 * MEBIBYTE), '', '  \t', 'x'.repeat(MEBIBYTE), 'a\0b']);
    expect(stderr).toContain('a line has more than 8.0 MiB');
    expect(server.requests).toHaveLength(2);
    expect(stdout).toContain('\n> ab\n');
    expect(code).toBe(2);
  });
});

test('a tree that is larger than the screen is told by its branches; all of it goes through the pager', async () => {
  await withTalkOnScreen(
    [],
    async ({ terminal, home, folder, another }) => {
      await terminal.waitFor('Commands: /help');
      const client = await connectTo(home);
      const tree = await plantRun(client, folder, 150);
      const blocks = [{ type: 'text' as const, text: 'another beginning' }];
      await client.call('loom.node_create_text', { tree, parent: NodeId.parse(tree), role: 'user', blocks });
      await client.close();
      await another([tree.slice(0, 8)], async (second) => {
        await second.waitFor('this is the newest of several ends');
        second.type('/leaves', KEYS.enter, '/switch 2', KEYS.enter);
        await second.waitFor('You are at');
        second.type('/tree', KEYS.enter);
        await second.waitFor('(one line for each branch; all 152 nodes: /tree --full)');
        const overview = second.screen().join('\n');
        expect(overview).toMatch(/^ ├── another beginning +1 node +just now$/m);
        expect(overview).toMatch(/^ note 0 ● +150 nodes +just now$/m);
        second.type('/tree --full', KEYS.enter);
        await second.waitFor('(152 lines, shown in the pager)');
        expect(readFileSync(join(folder, 'paged'), 'utf8')).toMatch(
          /^\(root\)\n[\s\S]* User: note 149 +● you are here\n$/,
        );
        expect(second.transcript().join('\n')).not.toContain('User: note 100');
      });
    },
    { COGNITION_PAGER: 'tee paged > /dev/null', NO_COLOR: '1' },
  );
});
