// A small program on our terminal: each typed letter is an action.

import { wideRuler } from '../../../cli/render/look/wide_ruler.js';
import { openTerminal } from '../../../cli/repl/terminal/open_terminal.js';

const terminal = openTerminal({ stdin: process.stdin, stdout: process.stdout, ruler: wideRuler, reflow: 'all' });
let appended = 0;
let typed = '';
let height = 2;
let stream: NodeJS.Timeout | undefined;
let note = 'ready';

function show(): void {
  const { columns, rows } = terminal.size();
  const above = Array.from({ length: height - 1 }, (_, row) => `live ${row + 1}`);
  above[0] = `${note} ${columns}x${rows}`;
  terminal.setLive({ lines: [...above, `> ${typed}`], cursor: { row: height - 1, column: 2 + typed.length } });
}

function append(text: string): void {
  appended += 1;
  terminal.append(`${appended}: ${text}`);
}

const deeds: Record<string, () => unknown> = {
  a: () => append('short'),
  L: () => append('long words that the terminal wraps '.repeat(8).trimEnd()),
  M: () => append('two\nlines'),
  '+': () => {
    height += 1;
  },
  '-': () => {
    height -= 1;
  },
  w: () => {
    typed = 'wide '.repeat(14).trimEnd();
  },
  s: () => {
    stream = setInterval(() => {
      append('streamed, a little longer than the narrowest screen is wide');
      note = `n${appended}`;
      show();
    }, 5);
  },
  S: () => {
    clearInterval(stream);
    note = 'stopped';
  },
  z: () => terminal.suspend(),
  e: async () => {
    const code = await terminal.runChild(
      'sh',
      ['-c', 'stty -a | grep -o " icanon"; printf "child? "; read x; exit "$x"'],
      {},
    );
    note = `child ${code}`;
    show();
  },
  f: () =>
    terminal.enterScreen(({ columns, rows }) => ({
      lines: [`whole ${columns}x${rows}`, `after ${appended}`],
      cursor: null,
    })),
  F: () => terminal.leaveScreen(),
  x: () => {
    setImmediate(() => {
      throw new Error('thrown on purpose');
    });
  },
  r: () => void Promise.reject(new Error('rejected on purpose')),
  q: () => {
    void terminal.close();
    process.exit(3);
  },
  i: () => {
    // After the last frame, without a timer, which the check would find.
    setTimeout(() => {
      setImmediate(() => {
        note = `active: ${process.getActiveResourcesInfo().join(' ')}.`;
        show();
      });
    }, 100);
  },
  p: () => {
    note = `process ${process.pid}`;
  },
  n: () => terminal.setLive({ lines: [], cursor: null }),
};

terminal.onInput((text) => {
  for (const letter of text) {
    void deeds[letter]?.();
    if (letter !== 'n') show();
  }
  terminal.redrawScreen();
});
terminal.onResize(show);
show();
