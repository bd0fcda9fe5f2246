import { expect, test } from 'vitest';
import { type TestReader, withReader } from '../../support/reader.js';
import { answer, command, user } from '../../support/trees.js';

async function found({ read }: TestReader, query: string, more: object = {}): Promise<string[]> {
  return (await read('loom.search', { query, regex: true, ...more })).hits.map((hit) => hit.snippet);
}

test('a regular expression is found in any case, by lines, and its places are told', async () => {
  await withReader(async (reader, writer) => {
    await writer.plant(user('it timed out'), user('a time-out\nof two lines'), user('in time'));
    expect(await found(reader, 'time(d |-)out')).toEqual(['a time-out of two lines', 'it timed out']);
    expect(await found(reader, '^OF')).toEqual(['a time-out of two lines']);
    const { hits } = await reader.read('loom.search', { query: 'o\\w+', regex: true });
    expect(hits.map(({ snippet, matches }) => matches.map(([from, to]) => snippet.slice(from, to)))).toEqual([
      ['out', 'of'],
      ['out'],
    ]);
  });
});

test('an expression that matches nothing at all is no hit, and scripts and emoji are whole characters', async () => {
  await withReader(async (reader, writer) => {
    await writer.plant(user('我们把数据放在这里'), user('👍 yes'));
    expect(await found(reader, 'q*')).toEqual([]);
    expect(await found(reader, '^\\p{Emoji}+ ')).toEqual(['👍 yes']);
    expect(await found(reader, '数.放')).toEqual(['我们把数据放在这里']);
  });
});

test('a needless backslash is taken, and what is no expression is refused with the reason', async () => {
  await withReader(async (reader, writer) => {
    await writer.plant(user('a-b'));
    expect(await found(reader, 'a\\-b')).toEqual(['a-b']);
    await expect(found(reader, 'a(')).rejects.toMatchObject({
      ...{ kind: 'invalid_params', message: '"a(" is not a regular expression: Unterminated group' },
    });
  });
});

test.each(['(a+)+$', '(\\w+\\s?)*$', '(a|aa)+$'])(
  '%s, which would take for ever, is given up with a word',
  async (expression) => {
    await withReader(async (reader, writer) => {
      await writer.plant(user(`${'a'.repeat(60)}!`), user('short'));
      await expect(found(reader, expression)).rejects.toMatchObject({
        kind: 'limit',
        message: `the expression ${JSON.stringify(expression)} takes too long`,
      });
      expect(await found(reader, 'sho')).toEqual(['short']);
    });
  },
);

test('a search is narrowed to what was said in one role, in words and in expressions', async () => {
  await withReader(async (reader, writer) => {
    await writer.plant(user('pears', answer('pears are fruit', command('cat pears'))));
    expect(await found(reader, 'pears', { role: 'assistant' })).toEqual(['pears are fruit']);
    expect(await found(reader, 'pears', { role: 'user', regex: false })).toEqual(['pears']);
    expect(await found(reader, 'pears', { role: 'tool', regex: false })).toEqual([
      expect.stringContaining('cat pears'),
    ]);
    expect(await found(reader, 'pears', { role: 'summary' })).toEqual([]);
  });
});

test('hits come in pages, all of them once', async () => {
  await withReader(async (reader, writer) => {
    await writer.plant(...Array.from({ length: 25 }, (_, at) => user(`line ${at}`)));
    const all: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await reader.read('loom.search', {
        query: 'line \\d+',
        regex: true,
        limit: 10,
        cursor: cursor ?? null,
      });
      all.push(...page.hits.map(({ snippet }) => snippet));
      cursor = page.cursor;
    }
    expect(all).toEqual(Array.from({ length: 25 }, (_, at) => `line ${24 - at}`));
  });
});
