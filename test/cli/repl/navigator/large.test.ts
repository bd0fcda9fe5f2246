import { expect, test } from 'vitest';
import type { Key } from '../../../../cli/repl/editor/keys/key.js';
import { HubError } from '../../../../hub/base/error.js';
import type { Client } from '../../../../hub/client/client.js';
import { NodeId } from '../../../../hub/protocol/node.js';
import { type NavigatorTest, withNavigator } from './navigator_rows.js';

const press = (name: string, ctrl = false): Key => ({ kind: 'key', name, ctrl, alt: false, shift: false });
const type = (text: string): Key => ({ kind: 'text', text });

const BRANCHES = 4_200;
const IN_FLIGHT = 100;

/** More branches than are read before something is shown, and a conversation of 60 messages in one of them. */
async function plantLarge({ add, tree }: NavigatorTest): Promise<NodeId> {
  const question = await add(NodeId.parse(tree), 'user', 'Which one?');
  let left = BRANCHES;
  const worker = async (): Promise<void> => {
    for (left -= 1; left >= 0; left -= 1) await add(question, 'user', `branch ${left}`);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  let at = question;
  for (let number = 0; number < 60; number += 1) at = await add(at, 'user', `message ${number}`);
  return at;
}

/** A client whose tree is read only when that is allowed, or is refused then. */
function slowly(client: Client) {
  let go: (outcome: Error | null) => void = () => undefined;
  const gate = () =>
    new Promise<Error | null>((resolve) => {
      go = resolve;
    });
  const call = async (...[method, params, options]: Parameters<Client['call']>) => {
    const refusal = method === 'loom.tree_get_shape' ? await gate() : null;
    if (refusal !== null) throw refusal;
    return client.call(method, params, options);
  };
  // The compiler cannot follow which result belongs to which method.
  return { through: { ...client, call: call as never } satisfies Client, go: (outcome: Error | null) => go(outcome) };
}

const chosenAt = (rows: readonly string[]): number => rows.findIndex((row) => row.startsWith('>'));

test('a large tree shows the rows around the position at once, and they stay when the rest has come', async () => {
  await withNavigator(async (seen) => {
    const position = await plantLarge(seen);
    const { through, go } = slowly(seen.client);
    const navigator = await seen.open(position, { columns: 80, rows: 24 }, through);
    const before = await seen.shows('message 55');
    expect(before[0]).toBe('notes: reading, 0 of 4,262 nodes');
    expect(before[chosenAt(before)]).toMatch(/User: message 59 ●/);
    navigator.take(type('kkk'));
    navigator.take(press('up'));
    expect(seen.rows()[chosenAt(seen.rows())]).toContain('message 55');
    const moved = seen.rows();
    go(null);
    const after = await seen.shows(/^notes: 4,262 nodes$/);
    expect(after.slice(1, 15)).toEqual(moved.slice(1, 15));
  });
}, 60_000);

test('keys that need the whole tree wait for it, with all that come after them', async () => {
  await withNavigator(async (seen) => {
    const position = await plantLarge(seen);
    const { through, go } = slowly(seen.client);
    const navigator = await seen.open(position, { columns: 80, rows: 24 }, through);
    await seen.shows('message 59');
    navigator.take(type('gj'));
    await seen.shows('The tree is being read; what you press comes after that.');
    navigator.take(press('down'));
    navigator.take(type('/zebra'));
    expect(seen.rows().at(-1)).toContain('The tree is being read');
    go(null);
    await seen.shows('Nothing has "zebra" in it.');
    navigator.take(press('escape'));
    const rows = await seen.shows('Which one?');
    expect(rows[chosenAt(rows)]).toContain('branch');
    expect(chosenAt(rows)).toBe(3);
  });
}, 60_000);

test('Ctrl-C leaves although keys wait, and keys that need only the read rows do not wait', async () => {
  await withNavigator(async (seen) => {
    const position = await plantLarge(seen);
    const { through, go } = slowly(seen.client);
    const first = await seen.open(position, { columns: 80, rows: 24 }, through);
    first.take(type('f'));
    first.take(press('c', true));
    expect(await first.end).toBeNull();
    go(null);
    const second = await seen.open(position, { columns: 80, rows: 24 }, through);
    second.take(type('?'));
    await seen.shows('fold a branch');
    second.take(type('xk/message 7'));
    await seen.shows(/^\/message 7$/);
    second.take(press('escape'));
    second.take(press('enter'));
    expect((await second.end)?.edit).toBeNull();
    go(null);
  });
}, 60_000);

test('a failed read is reported, and tried again with the next key that needs it', async () => {
  await withNavigator(async (seen) => {
    const position = await plantLarge(seen);
    const { through, go } = slowly(seen.client);
    const navigator = await seen.open(position, { columns: 80, rows: 24 }, through);
    await seen.shows('message 59');
    go(new HubError('internal', 'the hub is busy'));
    await seen.shows('the hub is busy');
    navigator.take(type('k'));
    navigator.take(type('g'));
    await seen.shows('The tree is being read');
    go(null);
    await seen.shows(/^notes: 4,262 nodes$/);
    await seen.shows(/^> \(root\)/);
  });
}, 60_000);

test('Enter and Tab after a search apply to the typed query, also before its results are there', async () => {
  await withNavigator(async (seen) => {
    const { add, tree, client } = seen;
    const pear = await add(NodeId.parse(tree), 'user', 'a pear');
    const apple = await add(pear, 'user', 'an apple');
    let go: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const call = async (...[method, params, options]: Parameters<Client['call']>) => {
      if (method === 'loom.search' && 'query' in params && params.query === 'a pear') await gate;
      return client.call(method, params, options);
    };
    const navigator = await seen.open(apple, { columns: 80, rows: 24 }, { ...client, call: call as never });
    navigator.take(type('/a'));
    await seen.shows(/^> [0-9a-f]{8} User: an apple/);
    navigator.take(type(' pear'));
    navigator.take(press('tab'));
    go();
    const shown = await seen.shows('1 of 1 found');
    expect(shown[chosenAt(shown)]).toContain('User: a pear');
    navigator.take(type('/an app'));
    await seen.shows(/^> [0-9a-f]{8} User: an apple/);
    navigator.take(press('u', true));
    navigator.take(type('a pear'));
    navigator.take(press('enter'));
    expect(await navigator.end).toEqual({ node: pear, edit: null });
  });
});
