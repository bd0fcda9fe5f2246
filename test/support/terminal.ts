import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type IPty, spawn } from 'node-pty';
import { PROGRAM, userHomeBeside } from './cli.js';
import { withHome } from './hub.js';
import { type Emulator, type InkRun, type Modes, openEmulator } from './terminal/emulator.js';
import { readWholeOutput } from './terminal/whole_output.js';

/** A program on a terminal, as a person sees and uses it. */
export interface TestTerminal {
  pid: number;
  /** Sends keys as a terminal does: text as it is, and the sequences of KEYS. */
  type(...keys: string[]): void;
  /** Pastes as a terminal does: bracketed when the program asked for it, else line ends as Enter. */
  paste(text: string): void;
  resize(columns: number, rows: number): void;
  screen(): string[];
  transcript(): string[];
  cursor(): { row: number; column: number; visible: boolean };
  modes(): Modes;
  inks(row: number): string[];
  runs(): InkRun[][];
  /** All output so far, with its control sequences. */
  raw(): string;
  /** Resolves with the screen once it shows this text, or satisfies this function. */
  waitFor(wanted: string | RegExp | ((screen: string[]) => boolean)): Promise<string[]>;
  kill(signal: NodeJS.Signals): void;
  /** Resolves with the exit once all output is on the screen. */
  exited: Promise<{ code: number; signal: number }>;
}

export interface TerminalOptions {
  command: string;
  args: readonly string[];
  cwd: string;
  env: Record<string, string>;
  size?: { columns: number; rows: number };
  reflowsCursorLine?: boolean;
  hasAlternate?: boolean;
}

/** The sequences of keys. */
export const KEYS = {
  enter: '\r',
  escape: '\x1b',
  tab: '\t',
  shiftTab: '\x1b[Z',
  backspace: '\x7f',
  delete: '\x1b[3~',
  up: '\x1b[A',
  down: '\x1b[B',
  right: '\x1b[C',
  left: '\x1b[D',
  home: '\x1b[H',
  end: '\x1b[F',
  pageUp: '\x1b[5~',
  pageDown: '\x1b[6~',
  altEnter: '\x1b\r',
  shiftEnter: '\x1b[13;2u',
  control: (letter: string) => String.fromCharCode(letter.toUpperCase().charCodeAt(0) - 64),
  alt: (letter: string) => `\x1b${letter}`,
};

const WAIT_MS_MAX = 30_000;
const SIZE = { columns: 80, rows: 24 };

/** Runs a test with a program on a real pseudo-terminal; the program is killed afterwards. */
export async function withTerminal<T>(
  options: TerminalOptions,
  use: (terminal: TestTerminal) => Promise<T>,
): Promise<T> {
  const { columns, rows } = options.size ?? SIZE;
  const pty = spawn(options.command, [...options.args], {
    name: 'xterm-256color',
    cols: columns,
    rows,
    cwd: options.cwd,
    env: { TERM: 'xterm-256color', LANG: 'C.UTF-8', PATH: process.env.PATH ?? '', ...options.env },
  });
  const emulator = openEmulator({
    columns,
    rows,
    reflowsCursorLine: options.reflowsCursorLine ?? true,
    hasAlternate: options.hasAlternate ?? true,
    answer: (text) => pty.write(text),
  });
  const { terminal, isGone } = attach(pty, emulator);
  try {
    return await use(terminal);
  } finally {
    if (!isGone()) pty.kill('SIGKILL');
    await terminal.exited;
    emulator.dispose();
  }
}

interface ChatOptions {
  args?: readonly string[];
  env?: Record<string, string>;
  size?: { columns: number; rows: number };
}

/** Runs a test with the built program's `chat` on a terminal and an empty home; its hub is killed afterwards. */
export function withChat<T>(
  { args = [], env = {}, size = SIZE }: ChatOptions,
  use: (terminal: TestTerminal, place: { home: string; folder: string }) => Promise<T>,
): Promise<T> {
  return withHome((home) => {
    const folder = join(dirname(home), 'work');
    for (const path of [folder, userHomeBeside(folder)]) mkdirSync(path);
    const start = {
      command: process.execPath,
      args: [PROGRAM, 'chat', ...args],
      cwd: folder,
      // The emulator wraps long rows as the terminal of VS Code, whose core it is.
      env: { COGNITION_HOME: home, HOME: userHomeBeside(folder), TERM_PROGRAM: 'vscode', ...env },
      size,
      reflowsCursorLine: false,
    };
    return withTerminal(start, (terminal) => use(terminal, { home, folder }));
  });
}

/** Joins the two: the program's output goes to the emulator in order, and pending waits are checked after it. */
function attach(pty: IPty, emulator: Emulator): { terminal: TestTerminal; isGone: () => boolean } {
  let written = '';
  let shown = Promise.resolve();
  let isGone = false;
  let isShownWhole = false;
  const watchers = new Set<() => void>();
  readWholeOutput(pty, (bytes) => {
    shown = shown
      .then(() => emulator.write(bytes))
      .then(() => {
        // Only now, so that output read here is on the screen already.
        written += bytes;
        tellAll(watchers);
      });
  });
  const ended = new Promise<{ code: number; signal: number }>((resolve) => {
    pty.onExit(({ exitCode, signal }) => {
      isGone = true;
      resolve({ code: exitCode, signal: signal ?? 0 });
    });
  });
  const exited = ended.then(async (how) => {
    await shown;
    isShownWhole = true;
    tellAll(watchers);
    return how;
  });
  const terminal: TestTerminal = {
    pid: pty.pid,
    type: (...keys) => pty.write(keys.join('')),
    paste: (text) => {
      const typed = text.replaceAll('\n', '\r');
      pty.write(emulator.modes().pasteBracketed ? `\x1b[200~${typed}\x1b[201~` : typed);
    },
    resize: (columns, rows) => {
      emulator.resize(columns, rows);
      pty.resize(columns, rows);
    },
    screen: emulator.screen,
    transcript: emulator.transcript,
    cursor: emulator.cursor,
    modes: emulator.modes,
    inks: emulator.inks,
    runs: emulator.runs,
    raw: () => written,
    waitFor: (wanted) => waitOn({ emulator, watchers, isShownWhole: () => isShownWhole }, wanted),
    kill: (signal) => pty.kill(signal),
    exited,
  };
  return { terminal, isGone: () => isGone };
}

function tellAll(watchers: Set<() => void>): void {
  for (const watcher of watchers) watcher();
}

interface Watched {
  emulator: Emulator;
  watchers: Set<() => void>;
  isShownWhole: () => boolean;
}

/** Checks again after each output, and gives up when no more can come. */
function waitOn(
  { emulator, watchers, isShownWhole }: Watched,
  wanted: string | RegExp | ((screen: string[]) => boolean),
): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      watchers.delete(look);
    };
    const fail = (why: string): void => {
      end();
      reject(new Error(`${why} before the screen showed ${String(wanted)}:\n${emulator.screen().join('\n')}`));
    };
    const look = (): void => {
      // A frame is visible only when it is whole.
      if (emulator.modes().synchronized && !isShownWhole()) return;
      const screen = emulator.screen();
      if (isShown(screen, wanted)) {
        end();
        resolve(screen);
      } else if (isShownWhole()) fail('the program ended');
    };
    const timer = setTimeout(() => fail(`${WAIT_MS_MAX / 1_000} s passed`), WAIT_MS_MAX);
    watchers.add(look);
    look();
  });
}

function isShown(screen: string[], wanted: string | RegExp | ((screen: string[]) => boolean)): boolean {
  if (typeof wanted === 'function') return wanted(screen);
  const text = screen.join('\n');
  return typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text);
}
