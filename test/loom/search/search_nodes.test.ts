import { existsSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { NodeId, TreeId, TreeName } from '../../../hub/protocol/node.js';
import { findAll, folded, parseQuery, type Snippet } from '../../../loom/search/terms.js';
import { finderOf } from '../../../loom/search/text_finder.js';
import { openStore } from '../../../loom/store/store.js';
import { type TestReader, withReader } from '../../support/reader.js';
import { answer, command, ran, text, user } from '../../support/trees.js';
import type { TestWriter } from '../../support/writer.js';

const tree = (id: string) => TreeId.parse(id);
const node = (id = '') => NodeId.parse(id);

/** The nodes found, by the names that they were planted with. */
async function found({ read }: TestReader, query: string, more: object = {}): Promise<string[]> {
  return (await read('loom.search', { query, ...more })).hits.map((hit) => hit.snippet);
}

function say(writer: TestWriter, to: string, content: string): string {
  const blocks = text(content);
  return writer.write('loom.node_create_text', { tree: tree(to), parent: node(to), role: 'user', blocks }).node.id;
}

test('words are found inside sentences, in any case and any script, newest first', async () => {
  await withReader(async (reader, writer) => {
    await writer.plant(user('Read the Reader first'), user('我们把数据放在这里'), user('ÄRGER with straße'));
    expect(await found(reader, 'read')).toEqual(['Read the Reader first']);
    expect(await found(reader, '数据')).toEqual(['我们把数据放在这里']);
    expect(await found(reader, 'ärger')).toEqual(['ÄRGER with straße']);
    const [hit] = (await reader.read('loom.search', { query: 'ärger' })).hits;
    expect(hit?.seq).toBe((await reader.read('loom.node_get', { node: node(hit?.node) })).node.seq);
    expect(await found(reader, 'THE FIRST')).toEqual(['Read the Reader first']);
    expect(await found(reader, 'r')).toEqual(['ÄRGER with straße', 'Read the Reader first']);
  });
});

test('every word must occur, and quoted words must stand together', async () => {
  await withReader(async (reader, writer) => {
    await writer.plant(user('alpha beta gamma'), user('gamma alpha'), user('alpha  \n beta'));
    expect(await found(reader, 'alpha gamma')).toEqual(['gamma alpha', 'alpha beta gamma']);
    expect(await found(reader, '"alpha beta"')).toEqual(['alpha beta', 'alpha beta gamma']);
    expect(await found(reader, '"beta gamma"')).toEqual(['alpha beta gamma']);
    expect(await found(reader, 'alpha delta')).toEqual([]);
  });
});

test.each([
  'a AND',
  'NEAR(',
  'x*y',
  "it's",
  'col:umn',
  '-minus',
  '^start',
  '50%',
  'back\\slash',
  '(un',
  'say "unclosed',
])('the characters of %s are plain text', async (written) => {
  await withReader(async (reader, writer) => {
    await writer.plant(user(`before ${written} after`), user('nothing of it'));
    expect(await found(reader, written)).toEqual([`before ${written} after`]);
  });
});

test('commands and their output are searched, thinking is not', async () => {
  await withReader(async (reader, writer) => {
    const { tree: id } = await writer.plant(command('grep needle src'));
    writer.write('loom.node_create_text', {
      ...{ tree: tree(id), parent: node(id), role: 'assistant' },
      blocks: [{ type: 'thinking', text: 'a needle in thought', signature: null }],
    });
    const { hits } = await reader.read('loom.search', { query: 'needle' });
    expect(hits.map(({ role, tool, snippet }) => [role, tool, snippet])).toEqual([
      ['tool', 'bash', 'grep needle src output of grep needle src'],
    ]);
  });
});

test('a search can be limited to one tree, and leaves out archived nodes unless asked', async () => {
  await withReader(async (reader, writer) => {
    const one = await writer.plant(user('common one', answer('common below')));
    const two = await writer.plant(user('common two'));
    writer.write('loom.tree_update', { tree: tree(two.tree), name: TreeName.parse('second') });
    expect(await found(reader, 'common', { tree: one.tree })).toEqual(['common below', 'common one']);
    const { hits } = await reader.read('loom.search', { query: 'common two' });
    expect(hits.map((hit) => [hit.tree, hit.tree_name, hit.node])).toEqual([
      [two.tree, 'second', two.ids['common two']],
    ]);
    writer.write('loom.branch_archive', { tree: tree(one.tree), node: node(one.ids['common below']) });
    writer.write('loom.tree_archive', { tree: tree(two.tree) });
    expect(await found(reader, 'common')).toEqual(['common one']);
    expect(await found(reader, 'common', { archived: true })).toEqual(['common two', 'common below', 'common one']);
  });
});

test('nodes added since the last search are found, and each page continues the one before', async () => {
  await withReader(async (reader, writer) => {
    const { tree: id } = await writer.plant();
    for (let count = 0; count < 450; count++) say(writer, id, `${count % 2 === 0 ? 'even' : 'other'} number ${count}.`);
    expect(await found(reader, 'number', { limit: 1 })).toEqual(['other number 449.']);
    say(writer, id, 'even number 450.');
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: { hits: { snippet: string }[]; cursor: string | null } = await reader.read('loom.search', {
        ...{ query: 'even', limit: 100, cursor },
      });
      seen.push(...page.hits.map((hit) => hit.snippet));
      cursor = page.cursor;
    } while (cursor !== null);
    expect(seen).toEqual(Array.from({ length: 226 }, (_, index) => `even number ${450 - index * 2}.`));
  });
});

test('a text that is too large for the index is found too, in its order', async () => {
  await withReader(async (reader, writer) => {
    const { tree: id } = await writer.plant();
    say(writer, id, 'needle early');
    say(writer, id, `${'hay '.repeat(100_000)}needle in the stack`);
    say(writer, id, 'needle late');
    expect(await found(reader, 'needle')).toEqual([
      'needle late',
      `…${'hay '.repeat(10)}needle in the stack`,
      'needle early',
    ]);
  });
});

test('a purged tree is not found, and nothing of it stays in the index', async () => {
  await withReader(async (reader, writer) => {
    const gone = await writer.plant(user('secret plans'));
    await writer.plant(user('plans that stay'));
    expect(await found(reader, 'plans')).toEqual(['plans that stay', 'secret plans']);
    const { confirm } = writer.write('loom.tree_purge', { tree: tree(gone.tree) });
    writer.write('loom.tree_purge', { tree: tree(gone.tree), confirm });
    reader.scheduler.accept({ forget: true });
    expect(existsSync(reader.searchIndex)).toBe(false);
    expect(await found(reader, 'plans')).toEqual(['plans that stay']);
  });
});

test.each([
  ['is no database', (path: string) => writeFileSync(path, 'not a database at all '.repeat(500))],
  ['is empty', (path: string) => writeFileSync(path, '')],
])('an index file that %s is made anew', async (_what, damage) => {
  await withReader(async (reader, writer) => {
    await writer.plant(user('still here'));
    damage(reader.searchIndex);
    expect(await found(reader, 'still')).toEqual(['still here']);
  });
});

test('an index that proves damaged is rebuilt', async () => {
  await withReader(async (reader, writer) => {
    await writer.plant(user('one thing'));
    expect(await found(reader, 'thing')).toEqual(['one thing']);
    const index = openStore({ path: reader.searchIndex, access: 'write', synchronous: 'off' });
    index.exec('DROP TABLE texts');
    index.close();
    expect(await found(reader, 'thing')).toEqual(['one thing']);
  });
});

test('an index of another database is rebuilt', async () => {
  await withReader(async (reader, writer) => {
    await writer.plant(user('one thing'));
    expect(await found(reader, 'thing')).toEqual(['one thing']);
    writer.store.run("UPDATE meta SET value = 'another' WHERE key = 'epoch'");
    reader.scheduler.accept({ forget: true });
    await writer.plant(user('another thing'));
    expect(await found(reader, 'thing')).toEqual(['another thing', 'one thing']);
  });
});

test('in a text of megabytes words are found as in others: in any case, beside escapes, and in the input of a call', async () => {
  await withReader(async (reader, writer) => {
    const { tree: id } = await writer.plant();
    const filler = 'filler '.repeat(50_000);
    say(writer, id, `${filler}"said" NEEDLE\nbelow \u212aelvin ${filler}`);
    const input = { command: `${filler}echo thread${filler}` };
    const place = { tree: tree(id), parent: node(id), blocks: text('done') };
    writer.write('loom.node_create_external', {
      ...place,
      external: { ...ran('x'), call: { tool: 'bash', input, id: null } },
    });
    for (const query of ['needle', '"needle below"', 'Kelvin', 'needle kelvin', 'thread'])
      expect(await found(reader, query)).toHaveLength(1);
    for (const query of ['nowhere', 'needle thread', '"below needle"']) expect(await found(reader, query)).toEqual([]);
  });
});

test('a query without a word is refused', () => {
  expect(() => parseQuery('  "" ')).toThrow('the query "  \\"\\" " has no word to look for');
});

function snippetFor(query: string, content: string): Snippet {
  const ranges = findAll(folded(content), parseQuery(query)) ?? [];
  return finderOf({ query, regex: false }).snippet(content, ranges);
}

test('a snippet is one line around the first match, with every match marked', () => {
  const long = `${'before '.repeat(30)}the İstanbul\n\tneedle and NEEDLE ${'after '.repeat(30)}`;
  const { snippet, matches } = snippetFor('needle', long);
  expect(snippet).toMatch(/^….* the İstanbul needle and NEEDLE after .*…$/);
  expect(matches.map(([start, end]) => snippet.slice(start, end))).toEqual(['needle', 'NEEDLE']);
});

test('a snippet never begins or ends inside a character', () => {
  const long = '👍'.repeat(60) + 'x'.repeat(3) + '👍'.repeat(90);
  for (const shift of ['', 'y']) {
    const { snippet } = snippetFor('xxx', shift + long);
    expect(snippet).not.toMatch(/\p{Surrogate}/u);
  }
});
