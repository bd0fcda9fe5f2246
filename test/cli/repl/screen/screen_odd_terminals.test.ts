import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { PROGRAM, userHomeBeside } from '../../../support/cli.js';
import { withHome } from '../../../support/hub.js';
import { KEYS, type TestTerminal, withChat, withTerminal } from '../../../support/terminal.js';

const DEMO = ['--model', 'demo'];

/** What a shell on a terminal does with the chat: it may send its input and output elsewhere. */
function shelled<T>(
  { command, env }: { command: string; env: Record<string, string> },
  use: (terminal: TestTerminal, folder: string) => Promise<T>,
): Promise<T> {
  return withHome((home) => {
    const folder = join(dirname(home), 'work');
    mkdirSync(folder);
    const chat = `"${process.execPath}" "${PROGRAM}" chat --model demo`;
    const start = {
      ...{ command: 'sh', args: ['-c', command.replace('CHAT', chat)], cwd: folder },
      env: { COGNITION_HOME: home, HOME: userHomeBeside(folder), ...env },
    };
    return withTerminal(start, (terminal) => use(terminal, folder));
  });
}

test('a dumb terminal gets appended lines only, without control sequences', async () => {
  await shelled({ command: 'TERM=dumb; export TERM; exec CHAT', env: {} }, async (terminal) => {
    await terminal.waitFor((screen) => screen.at(-1) === '>');
    terminal.type('hello\r');
    await terminal.waitFor('I am the demo model');
    terminal.type('/quit\r');
    expect(await terminal.exited).toMatchObject({ code: 0 });
    expect(terminal.raw()).not.toContain('\x1b');
    expect(terminal.transcript().join('\n')).toContain('Session saved.');
  });
});

test.each(['unset TERM', 'TERM=linux', 'TERM=xterm', 'TERM=vt100', 'TERM=screen'])(
  'after %s in the shell a message is written and sent',
  async (set) => {
    await shelled({ command: `${set}; export TERM; exec CHAT`, env: {} }, async (terminal) => {
      await terminal.waitFor('[ INSERT ]');
      terminal.type('hello', KEYS.enter);
      await terminal.waitFor('I am the demo model');
      terminal.type(KEYS.control('d'));
      expect(await terminal.exited).toMatchObject({ code: 0 });
    });
  },
);

test('a paste that comes without its marks is typed, and a terminal without them is as usable', async () => {
  await withChat({ args: DEMO }, async (terminal) => {
    await terminal.waitFor('[ INSERT ]');
    terminal.type('first line\nsecond line');
    await terminal.waitFor((screen) => screen.includes('> first line') && screen.includes('  second line'));
    terminal.type(KEYS.control('c'), KEYS.control('d'));
    expect(await terminal.exited).toMatchObject({ code: 0 });
  });
});

test.each([
  { columns: 1, rows: 1 },
  { columns: 2, rows: 2 },
  { columns: 20, rows: 6 },
  { columns: 500, rows: 200 },
])('in $columns columns and $rows rows one can write, send and leave', async (size) => {
  await withChat({ args: DEMO, size }, async (terminal) => {
    await terminal.waitFor(() => terminal.modes().pasteBracketed && !terminal.modes().synchronized);
    terminal.type('/mark here', KEYS.enter);
    await terminal.waitFor(() => /m\s*a\s*r\s*k/.test(terminal.transcript().join('')));
    terminal.type(KEYS.control('u'), KEYS.control('d'));
    expect(await terminal.exited).toMatchObject({ code: 0 });
    expect(terminal.cursor().visible).toBe(true);
  });
});

test('a terminal that does not tell its size is taken for one of 80 columns and 24 rows', async () => {
  await shelled({ command: 'stty rows 0 columns 0; exec CHAT', env: {} }, async (terminal) => {
    await terminal.waitFor('[ INSERT ]');
    terminal.type('hello', KEYS.enter);
    await terminal.waitFor('I am the demo model');
    terminal.type(KEYS.control('d'));
    expect(await terminal.exited).toMatchObject({ code: 0 });
  });
});

test('where the output goes elsewhere what is typed is read line by line, and nothing is drawn', async () => {
  await shelled({ command: 'CHAT > out; echo "ended $?"; cat out', env: {} }, async (terminal) => {
    terminal.type('hello\r');
    terminal.type('\x04');
    await terminal.waitFor('ended 0');
    await terminal.exited;
    expect(terminal.raw()).not.toContain('\x1b');
    expect(terminal.transcript().join('\n')).toMatch(/ended 0\n.*> hello\n.*I am the demo model/s);
  });
});

test('where the input comes from elsewhere it is done line by line, and nothing is drawn', async () => {
  const command = 'printf "hello\\n/branches\\n" | CHAT; echo "ended $?"';
  await shelled({ command, env: { NO_COLOR: '1' } }, async (terminal) => {
    await terminal.waitFor('ended 0');
    expect(terminal.raw()).not.toContain('\x1b');
    expect(terminal.transcript().join('\n')).toMatch(/> hello\n.*I am the demo model.*> \/branches/s);
  });
});

test('where only the messages about it go elsewhere the chat is drawn as ever', async () => {
  await shelled({ command: 'CHAT 2> err; echo "ended $?" "$(cat err)."', env: {} }, async (terminal) => {
    await terminal.waitFor('[ INSERT ]');
    terminal.type('hello', KEYS.enter);
    await terminal.waitFor('I am the demo model');
    terminal.type(KEYS.control('d'));
    await terminal.waitFor('ended 0 .');
  });
});

test('a chat without any terminal ends with the code of what failed', () =>
  withHome(async (home) => {
    const env = { COGNITION_HOME: home, HOME: dirname(home), PATH: process.env.PATH ?? '' };
    const run = spawnSync(process.execPath, [PROGRAM, 'chat', ...DEMO], {
      input: '/nonsense\n',
      env,
      encoding: 'utf8',
    });
    expect(run.status).not.toBe(0);
    expect(run.stdout + run.stderr).not.toContain('\x1b');
  }));

test('a terminal that nothing is known of is asked for its name when it becomes narrower, and the answer is not typed', async () => {
  await withChat({ args: DEMO, env: { TERM_PROGRAM: '' } }, async (terminal) => {
    await terminal.waitFor('[ INSERT ]');
    expect(terminal.raw()).not.toContain('\x1b[>q');
    terminal.resize(60, 24);
    await terminal.waitFor(() => terminal.raw().includes('\x1b[>q'));
    terminal.type('ab\x1bP>|kitty', '(0.35.2)\x1b\\cd');
    await terminal.waitFor(/^> abcd$/m);
    terminal.resize(50, 24);
    terminal.type('e');
    await terminal.waitFor(/^> abcde$/m);
    expect(terminal.raw().split('\x1b[>q')).toHaveLength(2);
  });
});

test('a terminal that does not answer is drawn nonetheless', async () => {
  await withChat({ args: DEMO, env: { TERM_PROGRAM: '' } }, async (terminal) => {
    await terminal.waitFor('[ INSERT ]');
    terminal.resize(40, 24);
    await terminal.waitFor(() => terminal.raw().includes('\x1b[>q'));
    terminal.type('still here');
    await terminal.waitFor(/^> still here$/m);
  });
});

test.each([
  ['in a terminal', 'TERM=xterm', (data: string) => `\x1b]52;c;${data}\x07`],
  ['in GNU screen', 'TERM=screen STY=1.test', (data: string) => `\x1bP\x1b]52;c;${data}\x07\x1b\\`],
  ['in a tmux that is gone', 'TERM=screen TMUX=/nonexistent,1,0', (data: string) => `\x1b]52;c;${data}\x07`],
])('what is copied %s is told between two frames', async (_, set, told) => {
  await shelled({ command: `${set} exec CHAT`, env: {} }, async (terminal) => {
    await terminal.waitFor('[ INSERT ]');
    terminal.type('!echo copied', KEYS.enter);
    await terminal.waitFor(/^copied$/m);
    terminal.type('/copy @', KEYS.enter);
    await terminal.waitFor('(copied ');
    const before = terminal.raw().split(told('').slice(0, 5))[0] ?? '';
    expect(before.lastIndexOf('\x1b[?2026l')).toBeGreaterThan(before.lastIndexOf('\x1b[?2026h'));
    const data = /52;c;([A-Za-z0-9+/=]*)/.exec(terminal.raw())?.[1] ?? '';
    expect(Buffer.from(data, 'base64').toString()).toContain('copied');
    expect(terminal.raw()).toContain(told(data));
  });
});
