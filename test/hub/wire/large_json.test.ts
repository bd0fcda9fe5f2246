import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseInSteps } from '../../../hub/wire/large_json.js';

const LONG = 600_000;

/** Counts its pauses. */
async function parsed(text: string): Promise<{ value: unknown; pauses: number }> {
  let pauses = 0;
  const pause = async (): Promise<boolean> => {
    pauses += 1;
    return true;
  };
  return { value: await parseInSteps(Buffer.from(text), pause), pauses };
}

/** JSON with every unit of its strings escaped. */
function escaped(text: string): string {
  return `"${Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`;
}

const units = fc.constantFrom('\\', '"', '\n', '\0', 'a', 'é', '€', '😀', '\ud83d', '\u2028', '/', 'u');
const longText = fc
  .tuple(fc.array(units, { minLength: 1, maxLength: 9 }), fc.integer({ min: 0, max: 20 }))
  .map(([signs, before]) => 'x'.repeat(before) + signs.join('').repeat(Math.ceil(LONG / signs.length)));

test('long strings are cut between characters and escapes, and come out as they are', async () => {
  await fc.assert(
    fc.asyncProperty(longText, longText, async (one, other) => {
      const value = { one, list: [1, other, { short: 'a"b' }], 'an "odd" key': null };
      expect((await parsed(JSON.stringify(value, null, 1))).value).toEqual(value);
      expect((await parsed(escaped(one))).value).toBe(one);
    }),
    { numRuns: 15 },
  );
});

test('a long string is parsed with pauses, a long key stays a key', async () => {
  const text = 'x'.repeat(1_000_000);
  expect(await parsed(JSON.stringify([text, 1]))).toEqual({ value: [text, 1], pauses: 4 });
  expect((await parsed(JSON.stringify({ [text]: [text] }))).value).toEqual({ [text]: [text] });
});

test.each([
  ['an unfinished string', `["${'x'.repeat(LONG)}`],
  ['an unfinished escape', `["${'x'.repeat(LONG)}\\`],
  ['a line end in a string', `["${'x'.repeat(LONG)}\n"]`],
  ['an unknown escape', `["${'x'.repeat(LONG)}\\q"]`],
  ['half an escape', `["${'x'.repeat(LONG)}\\u12"]`],
  ['no value after a long one', `["${'x'.repeat(LONG)}",]`],
])('what is not JSON is refused: %s', async (_, text) => {
  await expect(parsed(text)).rejects.toBeInstanceOf(SyntaxError);
});

test('nothing more is parsed when nobody waits', async () => {
  expect(await parseInSteps(Buffer.from(JSON.stringify('x'.repeat(LONG))), async () => false)).toBeNull();
});
