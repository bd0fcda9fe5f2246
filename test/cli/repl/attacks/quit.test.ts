import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connectTo } from '../../../support/hub.js';
import { KEYS, type TestTerminal } from '../../../support/terminal.js';
import { withTalkOnScreen } from '../screen/screen_talk.js';

const SAID = 'what-I-have-said';

/** How often it stands in the trees, and in what is kept of the editor. */
async function keptIn(home: string): Promise<{ nodes: number; drafts: number }> {
  const client = await connectTo(home);
  const { trees } = await client.call('loom.tree_list', {});
  let nodes = 0;
  for (const { id } of trees) {
    const skeleton = await client.call('loom.tree_get_skeleton', { tree: id });
    nodes += skeleton.nodes.filter(({ role, preview }) => role === 'user' && preview.includes(SAID)).length;
  }
  await client.close();
  const folder = join(home, 'drafts');
  const files = existsSync(folder) ? readdirSync(folder) : [];
  const drafts = files.filter((name) => readFileSync(join(folder, name), 'utf8').includes(SAID)).length;
  return { nodes, drafts };
}

const WAYS: readonly (readonly [string, (terminal: TestTerminal) => void])[] = [
  ['Ctrl-D', (terminal) => terminal.type(`${SAID}\r\x04`)],
  ['Ctrl-C twice', (terminal) => terminal.type(`${SAID}\r\x03\x03\x03`)],
  ['/quit', (terminal) => terminal.type(`${SAID}\r`, '/quit', KEYS.enter)],
];
const SIGNALS = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const;

test.each(WAYS)('what was sent just before %s is kept once', async (_, leave) => {
  await withTalkOnScreen([], async ({ terminal, home }) => {
    await terminal.waitFor('Commands: /help');
    leave(terminal);
    await terminal.exited;
    const { nodes, drafts } = await keptIn(home);
    expect(nodes + drafts).toBe(1);
  });
});

test.each(SIGNALS)('what was sent just before %s is kept once', async (signal) => {
  await withTalkOnScreen([], async ({ terminal, home }) => {
    await terminal.waitFor('Commands: /help');
    terminal.type(SAID);
    await terminal.waitFor(`> ${SAID}`);
    terminal.type(KEYS.enter);
    terminal.kill(signal);
    if (signal === 'SIGINT') terminal.type(KEYS.control('d'));
    await terminal.exited;
    const { nodes, drafts } = await keptIn(home);
    expect(nodes + drafts).toBe(1);
  });
});
