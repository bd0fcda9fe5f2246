import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wideRuler } from '../../../../cli/render/look/wide_ruler.js';
import { cellsOf, rowsOf } from '../../../../cli/render/screens/editor_rows.js';
import { editorView } from '../../../../cli/render/screens/editor_view.js';
import { clean } from '../../../../cli/render/text/clean.js';
import { showHidden } from '../../../../cli/render/text/invisible.js';
import { drawingOf } from '../../../../cli/repl/editor/editor_drawing.js';
import type { Key } from '../../../../cli/repl/editor/keys/key.js';
import { press } from '../../../../cli/repl/editor/press.js';
import { type EditorState, newEditor } from '../../../../cli/repl/editor/state/editor_state.js';
import { lookAt } from '../../../support/look.js';
import { FRAME, keysOf, paste, pressed, withHistory } from './keyboard.js';

const KEYS = keysOf(
  '<left><right><up><down><home><end><ctrl+a><ctrl+e><alt+b><alt+f><ctrl+w><alt+backspace><alt+d><ctrl+u><ctrl+k>' +
    '<ctrl+y><alt+y><ctrl+_><alt+z><delete><backspace><ctrl+d><ctrl+c><ctrl+t><ctrl+j><enter><ctrl+r><tab><escape><ctrl+x>',
);
const TEXTS = [
  'a',
  'Z ',
  'é',
  'e\u0301',
  '\u0301',
  '漢',
  '👨‍👩‍👧',
  '👩',
  '\u200d',
  '🇫',
  '🇷',
  '\t',
  '@s',
  '/',
  '"',
  '\\',
  'ก็',
  '\u0600',
  '\u202e',
  ' ',
  '\ud83d',
];

const key: fc.Arbitrary<Key> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...KEYS) },
  { weight: 4, arbitrary: fc.constantFrom(...TEXTS).map((text): Key => ({ kind: 'text', text })) },
  { weight: 1, arbitrary: fc.constantFrom('one\ntwo', 'x\n'.repeat(9), 'y'.repeat(501), '\u0301\n').map(paste) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }).map((text): Key => ({ kind: 'text', text })) },
);
const completion = {
  commands: [{ name: 'tree', detail: 'draw the tree', takesArguments: true }],
  files: () => ['src/a b.ts', 'src/', 'd\u202ee\x1b[31m\n'],
  exists: () => true,
  arguments: () => [{ value: '--nested', detail: '漢字 all of it' }],
};
const start = withHistory('first 漢字', 'two\nlines', 'a'.repeat(200));
const segmenter = new Intl.Segmenter();

function boundaries(text: string): Set<number> {
  // A paste that is shown as one sign stays alone.
  const tokens = Array.from(text.matchAll(/[\udc00-\udfff]/gu), ({ index }) => [index, index + 1]).flat();
  return new Set([...Array.from(segmenter.segment(text), ({ index }) => index), ...tokens, text.length]);
}

test('after any key the cursor is on a grapheme boundary', () => {
  fc.assert(
    fc.property(fc.array(key, { maxLength: 60 }), fc.integer({ min: 1, max: 40 }), (keys, width) => {
      let state: EditorState = start;
      for (const next of keys) {
        state = press(state, next, { ...FRAME, width, completion }).state;
        const { text, cursor } = state.buffer;
        expect(boundaries(text)).toContain(cursor);
      }
    }),
    { numRuns: 1_000 },
  );
});

const EDITS = keysOf(
  '<left><right><home><end><alt+b><ctrl+w><alt+d><ctrl+u><ctrl+k><ctrl+y><alt+y><backspace><ctrl+d><ctrl+c><ctrl+t><ctrl+j>',
);
const edit = fc.oneof(
  fc.constantFrom(...EDITS),
  fc.constantFrom(...TEXTS).map((text): Key => ({ kind: 'text', text })),
  fc.constantFrom('one\ntwo', 'x\n'.repeat(9)).map(paste),
);

test('undoing everything gives the start, and redoing everything the end', () => {
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 60 }), (keys) => {
      const { state } = pressed(keys);
      let back = state;
      while (back.past.length > 0) back = pressed('<ctrl+_>', back).state;
      expect(back.buffer.text).toBe('');
      while (back.future.length > 0) back = pressed('<alt+z>', back).state;
      expect(back.buffer.text).toBe(state.buffer.text);
    }),
    { numRuns: 1_000 },
  );
});

test('no drawing reaches the last column or is higher than it may be, nor holds control characters, and the cursor is inside', () => {
  const size = fc.record({ width: fc.integer({ min: 2, max: 40 }), rows: fc.integer({ min: 1, max: 12 }) });
  fc.assert(
    fc.property(fc.array(key, { maxLength: 40 }), size, (keys, { width, rows }) => {
      const { state } = pressed(keys, start, { ...FRAME, width, completion });
      const { lines, cursor } = editorView(drawingOf(state, 'say something 漢字'), lookAt(width), rows);
      expect(lines.length).toBeLessThanOrEqual(rows);
      for (const line of lines) {
        expect(wideRuler.width(line), JSON.stringify(line)).toBeLessThan(width);
        // What the person has typed stays as it is, also signs that are not seen.
        expect(clean(line)).toBe(showHidden(line));
        expect(line).not.toMatch(/[\t\n]/);
      }
      expect(cursor.row).toBeLessThan(lines.length);
      expect(cursor.column).toBeLessThan(width);
    }),
    { numRuns: 1_000 },
  );
});

test('the cursor is drawn where the next sign appears', () => {
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 30 }), fc.integer({ min: 9, max: 40 }), (keys, width) => {
      const before = pressed(keys, newEditor(), { ...FRAME, width }).state;
      if (before.buffer.text.slice(before.buffer.cursor).match(/^[\p{M}\u200d]/u)) return;
      const { state } = pressed([{ kind: 'text', text: '█' }], before, { ...FRAME, width });
      if (state.buffer.cursor !== before.buffer.cursor + 1) return;
      const drawing = drawingOf(state, '');
      const { lines, cursor } = editorView({ ...drawing, cursor: before.buffer.cursor }, lookAt(width), 50);
      const line = lines[cursor.row] ?? '';
      const at = line.indexOf('█');
      expect(wideRuler.width(line.slice(0, at))).toBe(cursor.column);
    }),
    { numRuns: 1_000 },
  );
});

test('a line of any length is cut into its signs', () => {
  const piece = fc.oneof(fc.constantFrom(...TEXTS), fc.string({ unit: 'grapheme' }));
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 20 }), fc.integer({ min: 10, max: 80 }), (pieces, times) => {
      const line = pieces.join('').repeat(times).toWellFormed().replace(/\r\n/g, ' ');
      const measure = { columns: 20, ruler: wideRuler, tokens: new Map<string, string>() };
      const found = Array.from(cellsOf(line, measure), ({ start: from }) => from);
      expect(found).toEqual(Array.from(segmenter.segment(line), ({ index }) => index));
      const rows = rowsOf(line, measure);
      expect(rows.map(({ start: from, end }) => line.slice(from, end)).join('')).toBe(line);
    }),
    {
      numRuns: 300,
      examples: [
        [['👨‍👩‍👧', 'a'], 29],
        [['\u200d', '👨‍👩‍👧'], 80],
      ],
    },
  );
});
