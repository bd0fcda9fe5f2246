import { expect, test } from 'vitest';
import { KEYS } from '../../../support/terminal.js';
import { withTalkOnScreen } from '../screen/screen_talk.js';
import { waitForEditor } from './seen.js';

const EMPTY = '|Say something, or /help';
const LEFT = KEYS.left;
const csi = (rest: string): string => `\x1b[${rest}`;

/** What a terminal sends for a key, what was typed before, and what is seen then. */
const ROWS: readonly (readonly [key: string, sequences: readonly string[], before: string, seen: string])[] = [
  ['Left', [csi('D'), '\x1bOD', csi('1D'), csi('57417u'), '\x02', csi('98;5u'), csi('1;2D')], 'ab', 'a|b'],
  ['Right', [csi('C'), '\x1bOC', csi('57418u'), '\x06', csi('102;5u'), csi('27;5;102~')], `ab${LEFT}${LEFT}`, 'a|b'],
  ['Up', [csi('A'), '\x1bOA', csi('57419u'), '\x10', csi('112;5u')], 'ab\ncd', 'ab|/cd'],
  ['Down', [csi('B'), '\x1bOB', csi('57420u'), '\x0e', csi('110;5u')], `ab\ncd${csi('A')}`, 'ab/cd|'],
  [
    'Home',
    [csi('H'), '\x1bOH', csi('1~'), csi('7~'), csi('57423u'), '\x01', csi('97;5u'), csi('27;5;97~')],
    'ab',
    '|ab',
  ],
  ['End', [csi('F'), '\x1bOF', csi('4~'), csi('8~'), csi('57424u'), '\x05', csi('101;5u')], `ab${LEFT}${LEFT}`, 'ab|'],
  ['Ctrl-Home', [csi('1;5H'), csi('7^'), '\x1b<'], 'ab\ncd', '|ab/cd'],
  ['Ctrl-End', [csi('1;5F'), csi('8^'), '\x1b>'], `ab\ncd${csi('A')}`, 'ab/cd|'],
  [
    'a word left',
    [csi('1;5D'), csi('1;3D'), '\x1bOd', '\x1b\x1b[D', '\x1bb', '\x1bB', csi('98;3u')],
    'ab cd',
    'ab |cd',
  ],
  ['a word right', [csi('1;5C'), csi('1;3C'), '\x1bOc', '\x1b\x1b[C', '\x1bf', csi('102;3u')], 'ab cd\x01', 'ab| cd'],
  ['Backspace', ['\x7f', '\b', csi('127u'), csi('127;2u'), csi('27;5;104~')], 'abc', 'ab|'],
  ['Delete', [csi('3~'), csi('57426u'), csi('3;2~'), csi('3$'), '\x04', csi('100;5u')], `abc${LEFT}`, 'ab|'],
  ['Ctrl-W', ['\x17', csi('119;5u'), csi('27;5;119~')], 'ab c/d', 'ab |'],
  ['Alt-Backspace', ['\x1b\x7f', '\x1b\b', csi('127;3u'), csi('127;5u'), csi('27;3;127~')], 'ab c/d', 'ab c/|'],
  ['Alt-D', ['\x1bd', csi('100;3u'), csi('3;3~'), csi('3;5~'), csi('3^')], 'ab cd\x01', '| cd'],
  ['Ctrl-U', ['\x15', csi('117;5u')], `abcd${LEFT}`, '|d'],
  ['Ctrl-K', ['\x0b', csi('107;5u')], `abcd${LEFT}`, 'abc|'],
  ['Ctrl-T', ['\x14', csi('116;5u')], 'abdc', 'abcd|'],
  ['Ctrl-Y', ['\x19', csi('121;5u')], 'ab cd\x17', 'ab cd|'],
  ['Alt-Y', ['\x1by', csi('121;3u')], 'one \x17two\x17\x19', 'one |'],
  ['undo', ['\x1f', csi('47;5u'), csi('45;5u'), csi('27;5;95~'), csi('55;5u'), '\x18\x15'], 'ab cd\x17', 'ab cd|'],
  ['redo', ['\x1bz', csi('122;3u'), '\x1b_', '\x18\x12'], 'ab cd\x17\x1f', 'ab |'],
  [
    'a new line',
    ['\n', '\x1b\r', '\x1b\n', csi('13;2u'), csi('27;2;13~'), csi('13;3u'), '\x1bOM', csi('106;5u')],
    'a',
    'a/|',
  ],
  ['Space', [' ', csi('32u'), csi('32;2u')], 'a', 'a |'],
  [
    'letters',
    ['bC', csi('98u') + csi('67u'), csi('98u') + csi('99:67;2u'), csi('27;1;98~') + csi('27;2;67~')],
    'a',
    'abC|',
  ],
  ['the number keys', ['1+', csi('57400u') + csi('57413u')], 'a', 'a1+|'],
];

/** What terminals send that is no key here, or nothing at all. */
const NOTHING: readonly string[] = [
  ...[
    '\x1bOP',
    '\x1bOS',
    csi('15~'),
    csi('24~'),
    csi('[A'),
    csi('1;2P'),
    csi('13;5~'),
    csi('29~'),
    csi('E'),
    csi('2~'),
  ],
  ...['\0', '\x1c', '\x1d', '\x1e', '\x11', '\x13', '\x16', csi('I'), csi('O'), csi('<0;12;3M'), csi('<0;12;3m')],
  ...[csi('M !!'), csi('32;12;3M'), csi('12;40R'), csi('?62;1;6c'), csi('>41;351;0c'), csi('0n'), csi('?2026;2$y')],
  ...[
    csi('?1u'),
    csi('97;1:3u'),
    csi('97;9u'),
    csi('57441u'),
    csi('57358u'),
    csi('1;1:3A'),
    csi('200;3~'),
    csi('201~'),
  ],
  ...[
    '\x1b]11;rgb:1111/2222/3333\x1b\\',
    '\x1b]0;title\x07',
    '\x1bP1+r5463=1\x1b\\',
    '\x1b_Gi=1;OK\x1b\\',
    '\x1b^x\x1b\\',
  ],
  ...[
    '\x9b31m',
    '\x9d0;title\x07',
    '\x85',
    '\x1b7',
    '\x1b=',
    '\x1bx',
    '\x1b ',
    csi('110;7u'),
    csi('99;6u'),
    csi('27;6;86~'),
  ],
];

test('every key does what it says in whatever way a terminal sends it, and nothing else is typed', async () => {
  await withTalkOnScreen([], async ({ terminal, server }) => {
    await terminal.waitFor('Say something');
    for (const [key, sequences, before, seen] of ROWS) {
      for (const sequence of sequences) {
        terminal.type(before);
        terminal.type(sequence);
        await waitForEditor(terminal, seen).catch((error: unknown) => {
          throw new Error(`${key} as ${JSON.stringify(sequence)}`, { cause: error });
        });
        terminal.type(KEYS.control('c'));
        await waitForEditor(terminal, EMPTY);
      }
    }
    for (const sequence of NOTHING) {
      terminal.type('a', sequence, 'b');
      await waitForEditor(terminal, 'ab|').catch((error: unknown) => {
        throw new Error(JSON.stringify(sequence), { cause: error });
      });
      terminal.type(KEYS.control('c'));
      await waitForEditor(terminal, EMPTY);
    }
    expect(server.requests).toEqual([]);
    expect(terminal.transcript().filter((line) => line.startsWith('> '))).toHaveLength(1);
  });
}, 120_000);
