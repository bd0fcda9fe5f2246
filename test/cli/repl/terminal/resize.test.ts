import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wideRuler } from '../../../../cli/render/look/wide_ruler.js';
import { createMainScreen } from '../../../../cli/repl/terminal/main_screen.js';
import { openEmulator } from '../../../support/terminal/emulator.js';

const CALM_MS = 1_000;
const columns = fc.integer({ min: 20, max: 200 });
const rows = fc.integer({ min: 6, max: 60 });
const text = fc.nat(150).map((length) => `${'w'.repeat(length)};`);
const change = fc.record({
  // The appended texts, the lines of the live block, and the size of the window after that.
  texts: fc.array(text, { maxLength: 3 }),
  lengths: fc.array(fc.nat(198), { minLength: 2, maxLength: 12 }),
  columns,
  rows,
  // Sizes in between, for which nothing is drawn.
  through: fc.array(fc.record({ columns, rows }), { maxLength: 3 }),
  // Whether a frame for the old size was being written during the resize.
  isLate: fc.boolean(),
});
const calm = change.map((one) => ({ ...one, through: [], isLate: false }));

type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

/** Resizes an emulator that reflows as xterm.js does, and reads the transcript afterwards. */
async function resizeThrough(start: { columns: number; rows: number }, changes: readonly Change[], paceMs: number) {
  const emulator = openEmulator({ ...start, reflowsCursorLine: false, answer: () => undefined });
  const screen = createMainScreen({ ruler: wideRuler, reflow: 'xterm_js' });
  const committed: string[] = [];
  let size = start;
  let nowMs = 0;
  let last = 0;
  const append = (texts: readonly string[]): void => {
    for (const one of texts) {
      committed.push(`#${committed.length} ${one}`);
      screen.append(committed.at(-1) ?? '');
    }
  };
  for (const { texts, lengths, through, isLate, ...next } of changes) {
    append(texts);
    const lines = lengths.slice(0, size.rows - 2).map((length) => `@${'.'.repeat(Math.min(length, size.columns - 4))}`);
    last = lines.length;
    screen.setLive({ lines, cursor: { row: lines.length - 2, column: 1 } });
    await emulator.write(screen.paint(size));
    const before = size;
    for (const [index, nextSize] of [...through, next].entries()) {
      size = nextSize;
      emulator.resize(size.columns, size.rows);
      if (isLate && index === 0) {
        append(texts);
        await emulator.write(screen.paint(before));
      }
      nowMs += paceMs;
      screen.resized(size, nowMs);
    }
    await emulator.write(screen.paint(size));
  }
  const transcript = emulator.transcript();
  emulator.dispose();
  const ghosts = transcript.filter((line) => line.startsWith('@')).length - last;
  return { committed, visible: transcript.filter((line) => line.startsWith('#')), ghosts };
}

test.each([
  ['one after the other', CALM_MS, calm],
  ['in a storm', 10, calm],
  ['of which only the last is drawn', 10, change],
])('changes of the size %s leave the transcript as it was', async (_, paceMs, each) => {
  await fc.assert(
    fc.asyncProperty(columns, rows, fc.array(each, { minLength: 1, maxLength: 12 }), async (wide, high, changes) => {
      const { committed, visible } = await resizeThrough({ columns: wide, rows: high }, changes, paceMs);
      expect(visible).toEqual(committed);
    }),
    { numRuns: 150 },
  );
});

test('changes of the width alone leave no ghosts in a window that is high enough', async () => {
  const narrower = calm.map((one) => ({ ...one, rows: 200 }));
  await fc.assert(
    fc.asyncProperty(columns, fc.array(narrower, { minLength: 1, maxLength: 8 }), async (wide, changes) => {
      const { ghosts } = await resizeThrough({ columns: wide, rows: 200 }, changes, CALM_MS);
      expect(ghosts).toBe(0);
    }),
    { numRuns: 100 },
  );
});

test('clearing from the top of the screen is not mistaken for clearing all of it', () => {
  const screen = createMainScreen({ ruler: wideRuler, reflow: 'all' });
  const size = { columns: 80, rows: 24 };
  screen.setLive({ lines: ['one', '>'], cursor: { row: 1, column: 1 } });
  screen.paint(size);
  screen.append('finished');
  expect(screen.paint(size)).toBe('\x1b[?25l\r\x1b[1A\x1b[C\x1b[J\r\x1b[Kfinished\r\none\r\n>\r\x1b[1C\x1b[?25h');
});
