import { expect, test } from 'vitest';
import type { Key } from '../../../../cli/repl/editor/keys/key.js';
import { NodeId } from '../../../../hub/protocol/node.js';
import { lookAt } from '../../../support/look.js';
import { type NavigatorTest, withNavigator } from './navigator_rows.js';

const press = (name: string): Key => ({ kind: 'key', name, ctrl: false, alt: false, shift: false });
const type = (text: string): Key => ({ kind: 'text', text });

/** Two branches below one question. */
async function planted({ add, tree }: NavigatorTest) {
  const question = await add(NodeId.parse(tree), 'user', 'Where shall we go?');
  const sea = await add(question, 'assistant', 'To the sea.');
  const when = await add(sea, 'user', 'When?');
  const mountains = await add(question, 'assistant', 'To the mountains.');
  return { question, sea, when, mountains };
}

test('the navigator shows the tree, where one stands, and what the chosen node says', async () => {
  await withNavigator(async (seen) => {
    const { when } = await planted(seen);
    await seen.open(when);
    await seen.shows('To the mountains.');
    const rows = await seen.shows('just now');
    expect(rows[0]).toBe('notes: 5 nodes');
    const list = rows.slice(1, 6).map((row) => row.replace(/ +(just now|\d+ min ago)$/, ''));
    expect(list).toEqual([
      '  (root)',
      '  User: Where shall we go?',
      '  ├── Assistant: To the mountains.',
      '  Assistant: To the sea.',
      '> User: When? ●',
    ]);
    expect((await seen.shows(/^When\?$/)).at(-7)).toBe('When?');
    expect(rows).toHaveLength(24);
  });
});

test('Enter goes to the chosen node, and a message comes back into the editor with e', async () => {
  await withNavigator(async (seen) => {
    const { question, sea, when, mountains } = await planted(seen);
    const first = await seen.open(when);
    first.take(press('up'));
    first.take(press('up'));
    first.take(press('enter'));
    expect(await first.end).toEqual({ node: mountains, edit: null });
    const second = await seen.open(when);
    second.take(type('e'));
    await seen.shows('y/n  Go there and say it otherwise?');
    second.take(type('y'));
    expect(await second.end).toEqual({ node: sea, edit: 'When?' });
    const third = await seen.open(sea);
    third.take(type('e'));
    await seen.shows('Only a message of yours');
    third.take(type('kkk'));
    third.take(press('enter'));
    expect(await third.end).toEqual({ node: NodeId.parse(seen.tree), edit: null });
    const fourth = await seen.open(question);
    fourth.take(press('escape'));
    expect(await fourth.end).toBeNull();
  });
});

test('branches fold and unfold, and a folded one tells how much stands behind it', async () => {
  await withNavigator(async (seen) => {
    const { when } = await planted(seen);
    const navigator = await seen.open(when);
    await seen.shows('To the mountains.');
    navigator.take(type('h'));
    const folded = await seen.shows('+1');
    expect(folded.some((row) => row.includes('User: When?'))).toBe(false);
    expect(folded.find((row) => row.startsWith('>'))).toMatch(/^> Assistant: To the sea\. +\+1 /);
    navigator.take(press('right'));
    await seen.shows('User: When?');
    navigator.take(type('z'));
    expect((await seen.shows('To the mountains.')).some((row) => row.includes('User: When?'))).toBe(true);
  });
});

test('a search looks into whole contents with every letter, and goes to what it found', async () => {
  await withNavigator(async (seen) => {
    const { when, mountains, add } = { ...(await planted(seen)), add: seen.add };
    const far = await add(mountains, 'user', `${'word '.repeat(500)} marmot 数据`);
    const navigator = await seen.open(when);
    navigator.take(type('/'));
    for (const letter of 'marmot') navigator.take(type(letter));
    const rows = await seen.shows(far.slice(0, 8));
    expect(rows.at(-1)).toBe('/marmot');
    navigator.take(press('tab'));
    await seen.shows('> ');
    expect((await seen.shows(/│ {3}User: word/)).find((row) => row.startsWith('>'))).toContain('User: word');
    navigator.take(type('/数据'));
    await seen.shows(far.slice(0, 8));
    navigator.take(press('enter'));
    expect(await navigator.end).toEqual({ node: far, edit: null });
  });
});

test('a search without results says so, and Escape gives the tree back', async () => {
  await withNavigator(async (seen) => {
    const { when } = await planted(seen);
    const navigator = await seen.open(when);
    navigator.take(type('/zebra'));
    await seen.shows('Nothing has "zebra" in it.');
    navigator.take(press('escape'));
    await seen.shows('User: When?');
  });
});

test('marks are set and listed, branches archived, and two places compared', async () => {
  await withNavigator(async (seen) => {
    const { when, mountains, client, tree } = { ...(await planted(seen)), ...seen };
    const navigator = await seen.open(when);
    navigator.take(type('gjj'));
    navigator.take(type('m'));
    navigator.take(type('peak 山'));
    navigator.take(press('enter'));
    await seen.shows('#peak 山');
    expect((await client.call('loom.mark_list', { tree })).marks).toMatchObject([{ name: 'peak 山', node: mountains }]);
    navigator.take(type('d'));
    const comparison = await seen.shows('Only there: 1 node');
    expect(comparison).toEqual(expect.arrayContaining(['Only where you stand: 2 nodes', '  Assistant: To the sea.']));
    navigator.take(press('escape'));
    navigator.take(type('x'));
    await seen.shows('y/n  Archive this branch?');
    navigator.take(type('y'));
    await seen.shows('cognition restore');
    expect((await client.call('loom.context_list_leaves', { tree })).leaves).toHaveLength(1);
  });
});

test('what is added meanwhile appears', async () => {
  await withNavigator(async (seen) => {
    const { when } = await planted(seen);
    const navigator = await seen.open(when);
    await seen.shows('5 nodes');
    await seen.add(when, 'assistant', 'Tomorrow.');
    navigator.treeChanged();
    await seen.shows('Assistant: Tomorrow.');
    await seen.shows('6 nodes');
  });
});

test('every row fits, down to a window of 20 columns and 6 rows, whatever the tree says', async () => {
  await withNavigator(async (seen) => {
    let at = NodeId.parse(seen.tree);
    for (let depth = 0; depth < 12; depth += 1) {
      await seen.add(at, 'user', '数据 👩‍👩‍👧 \u001b[31mred\u0007 '.repeat(20));
      at = await seen.add(at, 'assistant', 'x'.repeat(300));
    }
    const navigator = await seen.open(at, { columns: 20, rows: 6 });
    await seen.shows('Assis');
    const { ruler } = lookAt(20);
    for (const key of [type('z'), type('g'), press('tab'), type('?'), type('d'), type('/x'), press('escape')]) {
      navigator.take(key);
      const rows = seen.rows();
      expect(rows).toHaveLength(6);
      for (const row of rows) {
        expect(ruler.width(row)).toBeLessThan(20);
        expect(row).not.toMatch(/\p{Cc}/u);
      }
    }
  });
});

test('branches that begin alike beyond what is stored as a preview are told from the word in which they differ', async () => {
  await withNavigator(async (seen) => {
    const question = await seen.add(NodeId.parse(seen.tree), 'user', 'begin');
    const alike = `Please read the program as a whole, ${'and then think about each of its parts, '.repeat(8)}`;
    const unspaced = '数据'.repeat(300);
    for (const end of ['for the sea', 'for the hills']) await seen.add(question, 'user', alike + end);
    for (const end of ['山', '海']) await seen.add(question, 'user', unspaced + end);
    await seen.add(question, 'user', `${alike}for the hills`);
    await seen.open(question, { columns: 60, rows: 24 });
    const rows = await seen.shows(/…海/);
    const list = rows.slice(1, 8).map((row) => row.replace(/ +(just now|\d+ min ago)$/, ''));
    expect(list).toEqual([
      '  (root)',
      '> User: begin ●',
      '  ├── User: …hills',
      '  ├── User: …山',
      '  ├── User: …海',
      '  ├── User: …hills',
      '  User: …sea',
    ]);
  });
});
