import { expect, test } from 'vitest';
import type { Client } from '../../hub/client/client.js';
import type { SkeletonNode } from '../../hub/protocol/node.js';
import { connectTo } from '../support/hub.js';
import { KEYS, type TestTerminal, withChat } from '../support/terminal.js';
import { liveInChat } from './chat.js';
import { extent } from './extent.js';

const GROWTH_MAX = 1.5;
const LONG_LIFE = 500;

test.runIf(process.platform === 'linux')(
  'an hour of talking, branching, stopping and resizing loses nothing, grows no memory, and leaves the screen as it should be',
  { timeout: 3_600_000 },
  () =>
    withChat(
      { args: ['--model', 'demo'], env: { COGNITION_WRAP: 'terminal', COGNITION_PAGER: 'cat' } },
      async (terminal, { home }) => {
        const wanted = extent(60);
        const { said, done, memory, left } = await liveInChat(terminal, wanted);
        const growth = `${megabytes(memory.earlyBytes)} → ${megabytes(memory.lateBytes)}`;
        console.log(`lived: ${JSON.stringify(done)}; memory ${growth}; rows that stayed after a resize: ${left}`);
        // A short run does not reach the steady memory use.
        if (wanted.count >= LONG_LIFE) expect(memory.lateBytes / memory.earlyBytes).toBeLessThanOrEqual(GROWTH_MAX);
        await expectToBeSane(terminal);
        const client = await connectTo(home);
        const kept = (await messagesOf(client)).sort();
        const problems = await client.call('loom.fsck', {});
        await client.close();
        expect(kept).toEqual(said.map((text) => text.replaceAll('\n', ' ')).sort());
        expect(problems).toMatchObject({ problems: [] });
        terminal.type(KEYS.control('u'), '/quit', KEYS.enter);
        expect(await terminal.exited).toEqual({ code: 0, signal: 0 });
        expect(terminal.transcript().join('\n')).toMatch(/Session saved\. Resume with: cognition chat [0-9a-f]{8}$/);
        expect(terminal.modes()).toEqual({
          alternate: false,
          pasteBracketed: false,
          mouse: false,
          synchronized: false,
        });
      },
    ),
);

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;

/** The typed text is in one row, with the cursor behind it and the status below. */
async function expectToBeSane(terminal: TestTerminal): Promise<void> {
  terminal.type('are you there?');
  const screen = await terminal.waitFor('> are you there?');
  const row = screen.indexOf('> are you there?');
  expect(screen.filter((text) => text.includes('are you there?'))).toHaveLength(1);
  expect(terminal.cursor()).toEqual({ row, column: '> are you there?'.length, visible: true });
  expect(screen.slice(row + 1).join('\n')).toMatch(/^\[ INSERT \].*NET: off/);
}

async function messagesOf(client: Client): Promise<string[]> {
  const messages: string[] = [];
  for await (const tree of client.pages('loom.tree_list', {}, 'trees')) {
    const nodes: AsyncIterable<SkeletonNode> = client.pages(
      'loom.tree_get_skeleton',
      { tree: tree.id, archived: true },
      'nodes',
    );
    for await (const { role, preview } of nodes) if (role === 'user') messages.push(preview);
  }
  return messages;
}
