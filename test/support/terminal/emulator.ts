import headless, { type IBufferLine, type Terminal } from '@xterm/headless';

import { CLUSTERS } from './clusters.js';

/** An emulated terminal of this size. */
export interface Emulator {
  /** Writes a text and resolves when it is on the screen. */
  write(bytes: string): Promise<void>;
  resize(columns: number, rows: number): void;
  /** The rows of the screen without blanks at their ends, down to the last that has something on it. */
  screen(): string[];
  /** All lines of the main screen with its scrollback; wrapped rows are joined. */
  transcript(): string[];
  cursor(): { row: number; column: number; visible: boolean };
  modes(): Modes;
  /** The row with its styled parts, as `colour:text`. */
  inks(row: number): string[];
  /** The rows of the screen in parts of one colour. */
  runs(): InkRun[][];
  dispose(): void;
}

/** A part of a row, with the names of its colour and style; none for plain text. */
export interface InkRun {
  ink: string;
  text: string;
}

export interface Modes {
  alternate: boolean;
  pasteBracketed: boolean;
  mouse: boolean;
  synchronized: boolean;
}

export interface EmulatorOptions {
  columns: number;
  rows: number;
  /** Whether a resize rewraps the cursor's line as well; most terminals do. */
  reflowsCursorLine: boolean;
  /** GNU screen has none unless it is told to, and ignores who asks for it. */
  hasAlternate?: boolean;
  /** What the terminal itself answers. */
  answer: (text: string) => void;
}

const SCROLLBACK_ROWS_MAX = 200_000;
const CURSOR_MODE = 25;
const ALTERNATE_MODE = 1049;

export function openEmulator(options: EmulatorOptions): Emulator {
  const { columns, rows, reflowsCursorLine, hasAlternate = true, answer } = options;
  const terminal = new headless.Terminal({
    cols: columns,
    rows,
    scrollback: SCROLLBACK_ROWS_MAX,
    allowProposedApi: true,
    reflowCursorLine: reflowsCursorLine,
  });
  terminal.unicode.register(CLUSTERS);
  terminal.unicode.activeVersion = CLUSTERS.version;
  terminal.onData(answer);
  const isCursorVisible = watchCursor(terminal);
  for (const final of hasAlternate ? [] : ['h', 'l'])
    terminal.parser.registerCsiHandler({ prefix: '?', final }, (params) => params.includes(ALTERNATE_MODE));
  return {
    write: (bytes) => new Promise((resolve) => terminal.write(bytes, resolve)),
    resize: (newColumns, newRows) => terminal.resize(newColumns, newRows),
    screen: () => withoutEmptyEnd(screenLines(terminal).map((line) => line?.translateToString(true).trimEnd() ?? '')),
    transcript: () => transcriptOf(terminal),
    cursor: () => {
      const { cursorX: column, cursorY: row } = terminal.buffer.active;
      return { row, column, visible: isCursorVisible() };
    },
    modes: () => ({
      alternate: terminal.buffer.active.type === 'alternate',
      pasteBracketed: terminal.modes.bracketedPasteMode,
      mouse: terminal.modes.mouseTrackingMode !== 'none',
      synchronized: terminal.modes.synchronizedOutputMode,
    }),
    inks: (row) =>
      runsOf(screenLines(terminal)[row])
        .filter(({ ink }) => ink !== '')
        .map(({ ink, text }) => `${ink}:${text}`),
    runs: () => screenLines(terminal).map(runsOf),
    dispose: () => terminal.dispose(),
  };
}

/** The emulator does not expose the cursor's visibility, so its control sequences are parsed here. */
function watchCursor(terminal: Terminal): () => boolean {
  let visible = true;
  const change = (to: boolean) => (params: (number | number[])[]) => {
    if (params.includes(CURSOR_MODE)) visible = to;
    return false;
  };
  terminal.parser.registerCsiHandler({ prefix: '?', final: 'h' }, change(true));
  terminal.parser.registerCsiHandler({ prefix: '?', final: 'l' }, change(false));
  return () => visible;
}

function screenLines(terminal: Terminal): (IBufferLine | undefined)[] {
  const { active } = terminal.buffer;
  return Array.from({ length: terminal.rows }, (_, row) => active.getLine(active.baseY + row));
}

function transcriptOf(terminal: Terminal): string[] {
  const { normal } = terminal.buffer;
  const lines: string[] = [];
  for (let row = 0; row < normal.length; row += 1) {
    const line = normal.getLine(row);
    if (line === undefined) break;
    const goesOn = normal.getLine(row + 1)?.isWrapped === true;
    const whole = line.translateToString(!goesOn);
    // A wide character that did not fit at the end of a row leaves an empty cell there.
    const text =
      goesOn && line.getCell(line.length - 1)?.getChars() === '' && whole.endsWith(' ') && !isSecondHalf(line)
        ? whole.slice(0, -1)
        : whole;
    if (line.isWrapped && lines.length > 0) lines[lines.length - 1] += text;
    else lines.push(text);
  }
  return withoutEmptyEnd(lines.map((line) => line.trimEnd()));
}

function isSecondHalf(line: IBufferLine): boolean {
  return line.getCell(line.length - 1)?.getWidth() === 0;
}

function runsOf(line: IBufferLine | undefined): InkRun[] {
  const runs: InkRun[] = [];
  for (let column = 0; line !== undefined && column < line.length; column += 1) {
    const cell = line.getCell(column);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const ink = inkOf(cell);
    const last = runs.at(-1);
    if (last?.ink === ink) last.text += cell.getChars() || ' ';
    else runs.push({ ink, text: cell.getChars() || ' ' });
  }
  return runs;
}

const COLOURS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

function inkOf(cell: NonNullable<ReturnType<IBufferLine['getCell']>>): string {
  const marks = [
    cell.isFgDefault() ? '' : (COLOURS[cell.getFgColor() % COLOURS.length] ?? ''),
    cell.isBold() ? 'bold' : '',
    cell.isDim() ? 'dim' : '',
    cell.isItalic() ? 'italic' : '',
    cell.isUnderline() ? 'underline' : '',
    cell.isInverse() ? 'inverse' : '',
    cell.isStrikethrough() ? 'struck' : '',
  ];
  return marks.filter((mark) => mark !== '').join(' ');
}

function withoutEmptyEnd(lines: string[]): string[] {
  return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1);
}
