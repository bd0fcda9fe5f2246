import { expect, test } from 'vitest';
import type { Client } from '../../../../hub/client/client.js';
import { NodeId, TreeId } from '../../../../hub/protocol/node.js';
import { connectTo, killHub } from '../../../support/hub.js';
import { KEYS, type TestTerminal } from '../../../support/terminal.js';
import { idle, treeOn, withTalkOnScreen } from '../screen/screen_talk.js';

const STEPS = 50;
/** After so many steps of the first terminal the hub is killed. */
const KILL_STEPS = [7, 19, 33, 44];
const COMMANDS = [
  ...['/back', '/back 3', '/fork', '/goto root', '/retry', '/leaves', '/branches', '/switch 1', '/switch 2', '/clear'],
  ...['!true', '/mark here', '/stop', '/tree', '/nonsense'],
];

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Hurry {
  terminal: TestTerminal;
  name: string;
  seed: number;
  at(step: number): Promise<void>;
}

/** Types what a hasty person types, and resolves with the messages among it. */
async function hurry({ terminal, name, seed, at }: Hurry): Promise<string[]> {
  const random = numbers(seed);
  const said: string[] = [];
  for (let step = 0; step < STEPS; step++) {
    const pick = random();
    const message = `say-${name}-${step}.`;
    if (pick < 0.5) {
      said.push(message);
      terminal.type(message, KEYS.enter);
    } else terminal.type(COMMANDS[Math.floor(random() * COMMANDS.length)] ?? '', KEYS.enter);
    if (random() < 0.2) terminal.resize(60 + Math.floor(random() * 60), 12 + Math.floor(random() * 30));
    await at(step);
    if (random() < 0.5) await terminal.waitFor(/^> {1,2}Say something/m);
  }
  return said;
}

/** How often each message stands in the tree. */
async function countsIn(client: Client, tree: TreeId): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  const { nodes } = await client.call('loom.tree_get_skeleton', { tree, archived: true, limit: 10_000 });
  for (const { id, role } of nodes) {
    if (role !== 'user') continue;
    const { node } = await client.call('loom.node_get', { node: NodeId.parse(id) });
    for (const [text] of JSON.stringify(node.blocks).matchAll(/say-[ab]-\d+\./g)) {
      counts.set(text, (counts.get(text) ?? 0) + 1);
    }
  }
  return counts;
}

/** Where a terminal says that one stands, and where a mark is set from there. */
async function placeOf(terminal: TestTerminal, name: string): Promise<{ told: string; marked: string }> {
  // Wide enough for the row at the bottom to say all.
  terminal.resize(140, 30);
  // Once all that was typed has been done no turn begins any more.
  for (const mark of [`before-${name}`, name]) {
    terminal.type(KEYS.control('u'), `/mark ${mark}`, KEYS.enter);
    await terminal.waitFor(`as "${mark}"`);
    await idle(terminal);
  }
  const all = terminal.transcript().join('\n');
  const marked = [...all.matchAll(new RegExp(`Marked ([0-9a-f]{8}) as "${name}"`, 'g'))].at(-1)?.[1] ?? '';
  return { told: terminal.screen().at(-1) ?? '', marked };
}

/** What came back into the editor because it could not be sent: cleared by then, it is put back. */
async function unsentOn(terminal: TestTerminal): Promise<string[]> {
  terminal.type(KEYS.control('y'), ' that is all');
  const screen = await terminal.waitFor('that is all');
  const editor = screen.slice(screen.findLastIndex((row) => row.startsWith('> ')));
  return editor.join('').match(/say-[ab]-\d+\./g) ?? [];
}

test.each([1, 2])(
  'two hasty terminals in one tree and a hub that is killed lose no message and double none (%i)',
  async (seed) => {
    await withTalkOnScreen([], async ({ terminal, home, another }) => {
      await terminal.waitFor('Commands: /help');
      terminal.type('begin', KEYS.enter);
      await terminal.waitFor('Hello.');
      const tree = TreeId.parse(treeOn(terminal));
      await another([tree], async (second) => {
        await second.waitFor('Commands: /help');
        const killing = async (step: number): Promise<void> => {
          if (KILL_STEPS.includes(step)) await killHub(home);
        };
        const [one, two] = await Promise.all([
          hurry({ terminal, name: 'a', seed: seed * 2, at: killing }),
          hurry({ terminal: second, name: 'b', seed: seed * 2 + 1, at: () => Promise.resolve() }),
        ]);
        for (const each of [terminal, second]) {
          const { told, marked } = await placeOf(each, each === terminal ? 'end-a' : 'end-b');
          // The row tells instead of the place that the other went on from here, where both stood.
          if (!told.startsWith('It goes on below where you stand')) expect(told).toContain(`at ${marked}`);
        }
        const unsent = [...(await unsentOn(terminal)), ...(await unsentOn(second))];
        const client = await connectTo(home);
        const counts = await countsIn(client, tree);
        expect([...counts].filter(([, count]) => count > 1)).toEqual([]);
        expect(unsent.filter((message) => counts.has(message))).toEqual([]);
        expect([...one, ...two].filter((message) => !counts.has(message) && !unsent.includes(message))).toEqual([]);
        expect(await client.call('loom.fsck', {})).toMatchObject({ problems: [] });
        await client.close();
      });
    });
  },
);
