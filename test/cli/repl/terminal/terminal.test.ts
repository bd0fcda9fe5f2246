import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { KEYS, type TestTerminal, withTerminal } from '../../../support/terminal.js';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const PROGRAM = ['.dev/run.mjs', 'test/support/terminal/driven.ts'];
const NORMAL = { alternate: false, pasteBracketed: false, mouse: false, synchronized: false };

interface Size {
  columns: number;
  rows: number;
}

/** Runs a test with the small program that does what is typed. */
function driven<T>(size: Size, use: (terminal: TestTerminal) => Promise<T>): Promise<T> {
  return withTerminal({ command: process.execPath, args: PROGRAM, cwd: ROOT, env: {}, size }, async (terminal) => {
    await terminal.waitFor('ready');
    return use(terminal);
  });
}

/** The same below a shell, which tells afterwards how the program ended and what it made of the terminal. */
function shelled<T>(use: (terminal: TestTerminal, pid: number) => Promise<T>): Promise<T> {
  const command = `"${process.execPath}" ${PROGRAM.join(' ')}; echo "ended $?" $(stty -a | grep -oE -- '-?(icanon|echo|isig)\\b')`;
  const size = { columns: 40, rows: 12 };
  return withTerminal({ command: 'bash', args: ['-c', command], cwd: ROOT, env: {}, size }, async (terminal) => {
    await terminal.waitFor('ready');
    terminal.type('ap');
    const screen = await terminal.waitFor(/process \d+/);
    return use(terminal, Number(/process (\d+)/.exec(screen.join('\n'))?.[1]));
  });
}

test('finished text goes above the live block and stays there', async () => {
  await driven({ columns: 40, rows: 10 }, async (terminal) => {
    terminal.type('aaM');
    await terminal.waitFor('lines');
    expect(terminal.screen()).toEqual(['1: short', '2: short', '3: two', 'lines', 'ready 40x10', '>']);
    expect(terminal.cursor()).toEqual({ row: 5, column: 2, visible: true });
    expect(terminal.modes()).toEqual({ ...NORMAL, pasteBracketed: true });
  });
});

test('a live block that is too high shows its last rows, and leaves none behind', async () => {
  await driven({ columns: 40, rows: 10 }, async (terminal) => {
    terminal.type('a', '+'.repeat(12));
    expect(await terminal.waitFor('live 13')).toEqual([
      '1: short',
      ...[7, 8, 9, 10, 11, 12, 13].map((row) => `live ${row}`),
      '>',
    ]);
    terminal.type('-'.repeat(11), 'a');
    await terminal.waitFor((screen) => screen.includes('2: short') && !screen.includes('live 3'));
    expect(terminal.transcript()).toEqual(['1: short', '2: short', 'ready 40x10', 'live 2', '>']);
  });
});

test('long text is wrapped by the terminal, so that a copy of it has no line breaks', async () => {
  const long = `1: ${'long words that the terminal wraps '.repeat(8).trimEnd()}`;
  await driven({ columns: 20, rows: 30 }, async (terminal) => {
    terminal.type('La');
    await terminal.waitFor('2: short');
    expect(terminal.transcript()).toEqual([long, '2: short', 'ready 20x30', '>']);
  });
});

test.each([
  { columns: 20, rows: 6 },
  { columns: 200, rows: 60 },
])('a stream is complete and in order above the block at %o', async (size) => {
  await driven(size, async (terminal) => {
    terminal.type('s');
    await terminal.waitFor(/^n[1-9]\d\d /m);
    terminal.type('S');
    await terminal.waitFor('stopped');
    expectWhole(terminal, `stopped ${size.columns}x${size.rows}`);
  });
});

test('a change of the size in the middle of a stream takes nothing from it', async () => {
  await driven({ columns: 80, rows: 24 }, async (terminal) => {
    terminal.type('w+++s');
    for (const [columns, rows] of [
      [30, 24],
      [100, 20],
      [41, 9],
      [80, 24],
    ]) {
      await terminal.waitFor(/n\d+ /);
      terminal.resize(columns ?? 0, rows ?? 0);
      await terminal.waitFor(`${columns}x${rows}`);
    }
    terminal.type('S');
    await terminal.waitFor('stopped');
    // A frame for the size before may be under way while it changes, and leave a row of the block.
    const streamed = terminal.transcript().filter((line) => /^\d+: streamed/.test(line));
    expect(streamed.map((line) => Number.parseInt(line, 10))).toEqual(streamed.map((_, place) => place + 1));
  });
});

/** Every appended line is there once and in order, and below them one live block. */
function expectWhole(terminal: TestTerminal, head: string): void {
  const lines = terminal.transcript();
  const end = lines.indexOf(head);
  expect(lines.slice(0, end).map((line) => Number.parseInt(line, 10))).toEqual(
    Array.from({ length: end }, (_, place) => place + 1),
  );
  expect(lines.slice(end).filter((line) => line === head || line.startsWith('>'))).toHaveLength(2);
}

test('a block that was wide is gone without ghosts after the window became narrow and wide again', async () => {
  await driven({ columns: 80, rows: 24 }, async (terminal) => {
    terminal.type('aaw');
    await terminal.waitFor('wide wide');
    terminal.resize(25, 24);
    await terminal.waitFor('25x24');
    expect(terminal.screen()).toEqual(['1: short', '2: short', 'ready 25x24', '> wide wide wide wide wi']);
    terminal.resize(80, 24);
    await terminal.waitFor('80x24');
    expect(terminal.screen()).toEqual(['1: short', '2: short', 'ready 80x24', `> ${'wide '.repeat(14).trimEnd()}`]);
    expect(terminal.transcript()).toHaveLength(4);
  });
});

test('a whole screen of its own leaves the main screen as it was, with what was appended meanwhile', async () => {
  await driven({ columns: 40, rows: 10 }, async (terminal) => {
    terminal.type('af');
    expect(await terminal.waitFor('whole')).toEqual(['whole 40x10', 'after 1']);
    expect({ ...terminal.modes(), ...terminal.cursor() }).toMatchObject({ alternate: true, visible: false });
    terminal.type('aa');
    await terminal.waitFor('after 3');
    terminal.resize(50, 12);
    await terminal.waitFor('whole 50x12');
    terminal.type('F');
    expect(await terminal.waitFor('3: short')).toEqual(['1: short', '2: short', '3: short', 'ready 50x12', '>']);
    expect({ ...terminal.modes(), ...terminal.cursor() }).toMatchObject({ alternate: false, visible: true, row: 4 });
  });
});

test('where a terminal has no alternate screen, what was drawn over the main one goes when it is left', async () => {
  const size = { columns: 40, rows: 10 };
  const start = { command: process.execPath, args: PROGRAM, cwd: ROOT, env: {}, size, hasAlternate: false };
  await withTerminal(start, async (terminal) => {
    await terminal.waitFor('ready');
    terminal.type('aaa');
    await terminal.waitFor('3: short');
    terminal.type('f');
    await terminal.waitFor('whole');
    terminal.type('F');
    expect(await terminal.waitFor((screen) => !screen.join().includes('whole'))).toEqual(['ready 40x10', '>']);
    expect(terminal.cursor()).toMatchObject({ visible: true, row: 1, column: 2 });
    terminal.type('a');
    expect(await terminal.waitFor('4: short')).toEqual(['4: short', 'ready 40x10', '>']);
  });
});

test('a child has the terminal to itself and gives it back', async () => {
  await driven({ columns: 40, rows: 12 }, async (terminal) => {
    terminal.type('ae');
    await terminal.waitFor('child?');
    expect(terminal.modes()).toEqual(NORMAL);
    terminal.type('7\r');
    expect(await terminal.waitFor((screen) => screen.includes('child 7 40x12') && screen.at(-1) === '>')).toEqual([
      '1: short',
      ' icanon',
      'child? 7',
      'child 7 40x12',
      '>',
    ]);
    expect(terminal.modes()).toEqual({ ...NORMAL, pasteBracketed: true });
    terminal.type('e');
    await terminal.waitFor((screen) => screen.at(-1) === 'child?');
    terminal.type(KEYS.control('c'));
    await terminal.waitFor('child null');
    terminal.type('a');
    await terminal.waitFor('2: short');
  });
});

test('one child after the other has the terminal', async () => {
  await driven({ columns: 40, rows: 12 }, async (terminal) => {
    terminal.type('ee');
    await terminal.waitFor((screen) => screen.at(-1) === 'child?');
    terminal.type('7\r');
    await terminal.waitFor((screen) => screen.includes('child? 7') && screen.at(-1) === 'child?');
    terminal.type('8\r');
    await terminal.waitFor((screen) => screen.includes('child 8 40x12') && screen.at(-1) === '>');
  });
});

test.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
  ['SIGHUP', 129],
  ['SIGQUIT', 131],
] as const)('after %s the terminal is as it was', async (signal, code) => {
  await shelled(async (terminal, pid) => {
    process.kill(pid, signal);
    const screen = await terminal.waitFor('ended');
    expect(screen.slice(0, 3)).toEqual(['1: short', `process ${pid} 40x12`, '>']);
    expect(screen.at(-1)).toBe(`ended ${code} isig icanon echo`);
    expect({ ...terminal.modes(), visible: terminal.cursor().visible }).toEqual({ ...NORMAL, visible: true });
  });
});

test.each([
  ['an exit', 'q', 'ended 3'],
  ['an error that nobody catches', 'x', 'ended 1'],
  ['a rejection that nobody catches', 'r', 'ended 1'],
])('after %s the terminal is as it was', async (_, key, ended) => {
  await shelled(async (terminal, pid) => {
    terminal.type('f');
    await terminal.waitFor('whole');
    terminal.type(key);
    await terminal.exited;
    expect(terminal.transcript().slice(0, 3)).toEqual(['1: short', `process ${pid} 40x12`, '>']);
    expect(terminal.transcript().at(-1)).toBe(`${ended} isig icanon echo`);
    expect({ ...terminal.modes(), visible: terminal.cursor().visible }).toEqual({ ...NORMAL, visible: true });
  });
});

test('a suspended program gives the terminal back and goes on where it was', async () => {
  const shell = { command: 'bash', args: ['--norc', '--noprofile', '-i'], cwd: ROOT, env: { PS1: '$ ' } };
  await withTerminal({ ...shell, size: { columns: 60, rows: 20 } }, async (terminal) => {
    await terminal.waitFor('$');
    terminal.type(`"${process.execPath}" ${PROGRAM.join(' ')}\r`);
    await terminal.waitFor('ready');
    terminal.type('az');
    await terminal.waitFor('Stopped');
    expect(terminal.modes()).toMatchObject({ alternate: false, mouse: false });
    terminal.type('stty -a | grep -oE -- "-?icanon"\r');
    await terminal.waitFor(/^icanon/m);
    terminal.type('clear; fg\r');
    await terminal.waitFor('ready');
    terminal.type('a');
    const screen = await terminal.waitFor('2: short');
    expect(screen.slice(-3)).toEqual(['2: short', 'ready 60x20', '>']);
    expect(terminal.modes()).toMatchObject({ pasteBracketed: true });
    terminal.type('q');
    await terminal.waitFor(/^\$$/m);
  });
});

test('a program that was stopped without a word takes the terminal again when it goes on', async () => {
  await driven({ columns: 40, rows: 10 }, async (terminal) => {
    terminal.type('ap');
    const screen = await terminal.waitFor(/process \d+/);
    const pid = Number(/process (\d+)/.exec(screen.join('\n'))?.[1]);
    process.kill(pid, 'SIGCONT');
    // Nobody knows what stands where now, so that the block is drawn once more.
    await terminal.waitFor((rows) => rows.filter((row) => row.startsWith('process')).length === 2);
    terminal.type('a');
    await terminal.waitFor('2: short');
    expect(terminal.screen().slice(-3)).toEqual(['2: short', `process ${pid} 40x10`, '>']);
  });
});

test('while nothing changes no timer runs and nothing is written', async () => {
  await driven({ columns: 60, rows: 10 }, async (terminal) => {
    terminal.type('ai');
    const screen = await terminal.waitFor('active:');
    expect(screen).toEqual(['1: short', 'active: TTYWrap TTYWrap. 60x10', '>']);
    const before = terminal.raw();
    terminal.type('?');
    await terminal.waitFor((shown) => shown.length === 3);
    expect(terminal.raw()).toBe(before);
  });
});
