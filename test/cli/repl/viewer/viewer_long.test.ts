import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Key } from '../../../../cli/repl/editor/keys/key.js';
import type { ScreenDrawing } from '../../../../cli/repl/terminal/terminal.js';
import { openViewer } from '../../../../cli/repl/viewer/viewer.js';
import type { Client } from '../../../../hub/client/client.js';
import { NodeId, TreeId } from '../../../../hub/protocol/node.js';
import { withHub } from '../../../support/hub.js';
import { lookAt } from '../../../support/look.js';

const NODES = 5_000;
const IN_FLIGHT = 100;
const SIZE = { columns: 80, rows: 24 };
const type = (text: string): Key => ({ kind: 'text', text });
const press = (name: string): Key => ({ kind: 'key', name, ctrl: false, alt: false, shift: false });

/** Messages one below the other; their ids are known before, so that many are on their way at once. */
async function grow(client: Client, tree: TreeId): Promise<NodeId> {
  let parent = NodeId.parse(tree);
  for (let number = 1; number <= NODES; ) {
    const batch = Array.from({ length: IN_FLIGHT }, () => {
      const id = NodeId.parse(randomUUID());
      const blocks = [{ type: 'text' as const, text: `message ${number}` }];
      const call = client.call('loom.node_create_text', { id, tree, parent, role: 'user', blocks });
      parent = id;
      number += 1;
      return call;
    });
    await Promise.all(batch);
  }
  return parent;
}

/** A transcript drawn into rows that a test reads. */
async function viewing(client: Client, tip: NodeId) {
  let draw: ScreenDrawing | null = null;
  const waiting = new Set<() => void>();
  const rows = (): string[] => draw?.(SIZE).lines.map((line) => line.trimEnd()) ?? [];
  const redrawScreen = (): void => {
    for (const look of waiting) look();
  };
  const viewer = await openViewer({
    ...{ client, position: () => tip, look: lookAt, copy: () => true, atLastCall: false, commands: [] },
    modes: () => ({ network: false, isPlanning: false, thinking: null }),
    status: (mode) => mode,
    act: async () => null,
    terminal: {
      size: () => SIZE,
      redrawScreen,
      enterScreen(drawing) {
        draw = drawing;
      },
      leaveScreen() {
        draw = null;
      },
    },
  });
  const shows = (words: RegExp): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!words.test(rows().join('\n'))) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  return { viewer, rows, shows };
}

test('a path of thousands of messages is read window by window, from the end, and searched up to the root', async () => {
  await withHub(async ({ client }) => {
    const tree = TreeId.parse(randomUUID());
    await client.call('loom.tree_create', { id: tree });
    const { viewer, rows, shows } = await viewing(client, await grow(client, tree));
    await shows(new RegExp(`^│ > message ${NODES}$`, 'm'));
    viewer.take(type('g'));
    await shows(/^│ > message 1$/m);
    viewer.take(type('/message 4321'));
    viewer.take(press('enter'));
    await shows(/^│ >\[message 4321\]$/m);
    await shows(/^\/message 4321 {2}1\/1 {2}around the end/m);
    viewer.take(type('/MESSAGE 77'));
    viewer.take(press('enter'));
    await shows(/Nothing here has "MESSAGE 77" in it\./);
    viewer.take(type('/message 77'));
    viewer.take(press('enter'));
    await shows(/^\/message 77 {2}11\/11 {2}n/m);
    expect(rows()).toContain('│ >[message 77]9');
    viewer.take(type('n'));
    await shows(/^\/message 77 {2}10\/11 {2}n/m);
    viewer.take(type('N'));
    await shows(/^\/message 77 {2}11\/11 {2}n/m);
    viewer.take(type('N'));
    await shows(/^\/message 77 {2}1\/11 {2}around the end/m);
    expect(rows()).toContain('│ >[message 77]');
    viewer.take(press('escape'));
    viewer.take(type('G'));
    await shows(new RegExp(`^│ > message ${NODES}$`, 'm'));
    // Page by page up to the root: what was read first is let go on the way.
    for (let first = NODES; first > 1; ) {
      viewer.take(press('pageup'));
      const top = Number(/message (\d+)/.exec(rows().join('\n'))?.[1]);
      expect(top).toBeLessThanOrEqual(first);
      if (top === first) await new Promise((resolve) => setImmediate(resolve));
      first = top;
    }
    viewer.take(type('q'));
    expect(await viewer.end).toEqual({ kind: 'insert' });
    expect(rows()).toEqual([]);
  });
});
