import { expect, test } from 'vitest';
import { boundedSink } from '../../../../cli/repl/cli_commands/bounded_output.js';
import { hasFlag, nameIn } from '../../../../cli/repl/tree/split_words.js';

async function bounded(keeps: 'first' | 'last', pieces: readonly string[]) {
  let shown = '';
  const out = {
    write: async (text: string) => {
      shown += text;
    },
    end: async () => undefined,
  };
  const sink = boundedSink(out, { lines: 2, keeps });
  for (const piece of pieces) await sink.write(piece);
  return { ...(await sink.finish()), text: shown };
}

test('the first or the last lines are shown, however the text comes in pieces', async () => {
  for (const pieces of [['a\nb\nc\n'], ['a', '\nb\n', 'c\n'], ['a\nb\nc'], ['', 'a\n', 'b', '\nc', '']]) {
    expect(await bounded('first', pieces)).toEqual({ lines: 3, shown: 2, text: 'a\nb\n' });
    expect(await bounded('last', pieces)).toEqual({ lines: 3, shown: 2, text: 'b\nc\n' });
  }
  expect(await bounded('first', [])).toEqual({ lines: 0, shown: 0, text: '' });
  expect(await bounded('last', ['one\n'])).toEqual({ lines: 1, shown: 1, text: 'one\n' });
});

test('a name between quotes is the name, and quotes inside of one stay', () => {
  expect(['plain name', '"two words"', "'two words'", '"a" and "b"', '"', 'say "hi"', '""'].map(nameIn)).toEqual([
    ...['plain name', 'two words', 'two words', '"a" and "b"', '"', 'say "hi"', ''],
  ]);
});

test('the one word that a command takes is known, any other is refused with the usage', () => {
  const command = { name: 'leaves', usage: '[--all]' };
  expect(hasFlag('', '--all', command)).toBe(false);
  expect(hasFlag('--all', '--all', command)).toBe(true);
  expect(() => hasFlag('--al', '--all', command)).toThrow('/leaves takes --all or nothing, not "--al"');
});
