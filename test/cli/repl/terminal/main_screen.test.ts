import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wideRuler } from '../../../../cli/render/look/wide_ruler.js';
import { clipLine } from '../../../../cli/render/screens/live_block.js';
import { createMainScreen } from '../../../../cli/repl/terminal/main_screen.js';
import { openEmulator } from '../../../support/terminal/emulator.js';

const words = fc.constantFrom(
  'a',
  'words ',
  '数据',
  '👩‍👩‍👧',
  'e\u0301',
  '\x1b[31mred\x1b[39m',
  'x'.repeat(30),
  '-',
  '  ',
);
const line = fc.array(words, { maxLength: 8 }).map((all) => all.join(''));
const operation = fc.oneof(
  fc.record({
    kind: fc.constant('append' as const),
    text: fc.array(line, { minLength: 1, maxLength: 3 }).map((all) => all.join('\n')),
  }),
  fc.record({
    kind: fc.constant('live' as const),
    lines: fc.array(line, { maxLength: 12 }),
    row: fc.nat(11),
    column: fc.nat(30),
  }),
  fc.record({ kind: fc.constant('frame' as const) }),
);

const uncoloured = (text: string) => stripVTControlCharacters(text);

const widthOf = (text: string) => wideRuler.width(uncoloured(text));
const withoutEmptyEnd = (lines: string[]) => lines.slice(0, lines.findLastIndex((text) => text !== '') + 1);
const SIZE = { columns: 60, rows: 40 };

test('every appended text is on the screen once, in order, with the live block below', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(operation, { maxLength: 25 }),
      fc.integer({ min: 12, max: 60 }),
      fc.integer({ min: 4, max: 12 }),
      async (operations, columns, rows) => {
        const emulator = openEmulator({ columns, rows, reflowsCursorLine: true, answer: () => undefined });
        const screen = createMainScreen({ ruler: wideRuler, reflow: 'all' });
        const appended: string[] = [];
        let block: string[] = [];
        for (const one of [...operations, { kind: 'frame' as const }]) {
          if (one.kind === 'append') {
            appended.push(...one.text.split('\n'));
            screen.append(one.text);
          } else if (one.kind === 'live') {
            const row = Math.min(one.row, Math.max(0, one.lines.length - 1));
            const first = Math.min(row, Math.max(0, one.lines.length - (rows - 2)));
            block = one.lines.slice(first, first + rows - 2);
            screen.setLive({ lines: one.lines, cursor: { row, column: one.column } });
          } else {
            await emulator.write(screen.paint({ columns, rows }));
          }
        }
        const expected = [...appended, ...block.map((text) => clipLine(text, columns - 1, wideRuler))];
        const trimmed = expected.map((text) => uncoloured(text).trimEnd());
        expect(emulator.transcript()).toEqual(withoutEmptyEnd(trimmed));
        emulator.dispose();
      },
    ),
    { numRuns: 200 },
  );
});

test.each(['all', 'xterm_js'] as const)(
  'after a change of the width nothing of the old block is left where the terminal wraps as %s',
  async (reflow) => {
    const width = fc.integer({ min: 20, max: 90 });
    const short = line.map((text) => clipLine(text, SIZE.columns - 2, wideRuler));
    const lines = fc.array(short, { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(lines, fc.array(width, { minLength: 1, maxLength: 4 }), fc.nat(5), async (live, widths, at) => {
        // The emulator moves the cursor only where it does not stand at the end of everything.
        const row = reflow === 'all' ? live.length - 1 : Math.min(at, live.length - 1);
        const column = reflow === 'all' ? widthOf(live[row] ?? '') : 0;
        const emulator = openEmulator({ ...SIZE, reflowsCursorLine: reflow === 'all', answer: () => undefined });
        const screen = createMainScreen({ ruler: wideRuler, reflow });
        screen.append('one\ntwo');
        screen.setLive({ lines: live, cursor: { row, column } });
        await emulator.write(screen.paint(SIZE));
        let calmMs = 0;
        for (const columns of widths) {
          emulator.resize(columns, SIZE.rows);
          calmMs += 1_000;
          screen.resized({ ...SIZE, columns }, calmMs);
          await emulator.write(screen.paint({ ...SIZE, columns }));
        }
        const columns = widths.at(-1) ?? SIZE.columns;
        const shown = live.map((text) => uncoloured(clipLine(text, columns - 1, wideRuler)).trimEnd());
        expect(emulator.screen()).toEqual(withoutEmptyEnd(['one', 'two', ...shown]));
        emulator.dispose();
      }),
      { numRuns: 200 },
    );
  },
);

test('a frame that changes one row writes only that row, and one that changes nothing writes nothing', () => {
  const screen = createMainScreen({ ruler: wideRuler, reflow: 'all' });
  const size = { columns: 80, rows: 24 };
  const cursor = { row: 2, column: 1 };
  screen.setLive({ lines: ['one', 'two', '>'], cursor });
  screen.paint(size);
  screen.setLive({ lines: ['one', '2', '>'], cursor });
  expect(screen.paint(size)).toBe('\x1b[?25l\r\x1b[2A\n\r\x1b[K2\n\r\x1b[1C\x1b[?25h');
  expect(screen.paint(size)).toBe('');
  screen.setLive({ lines: ['one', '2', '>'], cursor: { row: 2, column: 0 } });
  expect(screen.paint(size)).toBe('\r');
});
