import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonText } from '../../../../cli/output/json_text.js';
import { clean, createCleaner } from '../../../../cli/render/text/clean.js';

/** Every code point that a terminal draws as nothing, or that reorders what stands around it. */
const HIDDEN: string[] = [];
for (let code = 0; code <= 0x10ffff; code += 1) {
  if (code >= 0xd800 && code <= 0xdfff) continue;
  const sign = String.fromCodePoint(code);
  if (/[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\ufff9-\ufffb]/u.test(sign)) HIDDEN.push(sign);
}

const shownAs = (sign: string): string => `<U+${sign.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}>`;

test('each of the 4,000 hidden signs is shown between letters, at the beginning, and at the end', () => {
  expect(HIDDEN.length).toBeGreaterThan(4_000);
  for (const name of [
    '\u200b',
    '\u200f',
    '\u2060',
    '\u2064',
    '\ufeff',
    '\u{e0001}',
    '\u{e007f}',
    '\ufe00',
    '\u202e',
    '\u00ad',
  ])
    expect(HIDDEN).toContain(name);
  for (const sign of HIDDEN) expect(clean(`a${sign}b`)).toBe(`a${shownAs(sign)}b`);
  expect(clean(HIDDEN.join('')).replace(/<U\+[0-9A-F]{4,6}>/g, '')).toBe('');
});

test.each([
  ['a family', '👨‍👩‍👧‍👦'],
  ['a person with a colour and a job', '🧑🏽‍🚀'],
  ['a flag of tags', '🏴󠁧󠁢󠁳󠁣󠁴󠁿'],
  ['a rainbow flag', '🏳️‍🌈'],
  ['an eye in a bubble', '👁️‍🗨️'],
  ['a key cap', '1️⃣'],
  ['a heart, as a picture and as text', '❤️ ❤︎'],
  ['Persian with a joiner that parts', 'می‌خواهم نامه‌ای'],
  ['Hindi with both joiners', 'क्‍ष क्‌ष'],
  ['Sinhala', 'ශ්‍රී'],
  ['Malayalam', 'അവന്‍'],
  ['a variant of an ideograph', '葛󠄀'],
  ['Mongolian', 'ᠮᠣᠩᠭᠣᠯ᠋'],
])('%s is as it was', (_, text) => {
  expect(clean(text)).toBe(text);
});

test.each([
  [
    'a word spelt with tags',
    `ls${'rm'.replace(/./g, (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0)))}`,
  ],
  ['tags behind a flag that spell another', '\u{1f3f4}\u{e0072}\u{e006d}'],
  ['a message in selectors behind a picture', '❤\ufe0f\ufe0f\ufe0e'],
  ['joiners without a use', 'l\u200ds'],
  ['two joiners where one is of use', 'می\u200c\u200cخواهم'],
  ['a selector behind a letter', 'x\ufe01'],
])('%s does not stay hidden', (_, text) => {
  expect(clean(text)).toMatch(/<U\+[0-9A-F]+>/);
});

test('a text that comes in pieces is shown as it would be whole', () => {
  const part = fc.oneof(
    fc.constantFrom(
      '👨‍👩‍👧',
      '🏴󠁧󠁢󠁳󠁣󠁴󠁿',
      'می‌خواهم',
      '1️⃣',
      'a',
      '\u200b',
      '\u200d',
      '\ufe0f',
      '\u{e0067}',
      '\r',
      '\n',
      '\x1b[1m',
    ),
    fc.constantFrom(...HIDDEN.slice(0, 200)),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), fc.array(fc.nat(20), { maxLength: 12 }), (parts, cuts) => {
      const text = parts.join('');
      const cleaner = createCleaner();
      let rest = text;
      let printed = '';
      for (const cut of cuts) {
        printed += cleaner.take(rest.slice(0, cut));
        rest = rest.slice(cut);
      }
      // A sign of two units is never cut by what decodes the pieces.
      fc.pre(!/[\ud800-\udbff]$/.test(text) && isWhole(text, cuts));
      expect(printed + cleaner.take(rest) + cleaner.end()).toBe(clean(text));
    }),
    { numRuns: 5_000 },
  );
});

function isWhole(text: string, cuts: readonly number[]): boolean {
  let at = 0;
  return cuts.every((cut) => {
    at += cut;
    return at >= text.length || !/[\udc00-\udfff]/.test(text.charAt(at));
  });
}

test('JSON says the same with only what can be printed', () => {
  const hostile = `${HIDDEN.join('')}\x7f\x80\x9b\x9f\u2028\u2029 é 数据 👨‍👩‍👧`;
  const printed = jsonText({ [hostile]: hostile });
  expect(JSON.parse(printed)).toEqual({ [hostile]: hostile });
  expect(printed).not.toMatch(/[\p{Cc}\u2028\u2029\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/u);
  expect(printed).toContain('é 数据 👨');
});
