import { wideRuler } from '../../../../cli/render/look/wide_ruler.js';
import { cellsOf } from '../../../../cli/render/screens/editor_rows.js';
import type { TestTerminal } from '../../../support/terminal.js';

const GOES_ON = /^(?: {2}|v(?: |$))/;
const MARKS = /^(?:[>^v](?: |$)| {2})/;

/** The rows of the editor as they are on the screen, a bar where the cursor is, without what stands before them. */
export function editorOn(terminal: TestTerminal): string[] {
  const { row, column } = terminal.cursor();
  const screen = terminal.screen();
  const first = screen.findLastIndex((line, at) => at <= row && /^[>^](?: |$)/.test(line));
  const foot = screen.findIndex((line, at) => at > row && line !== '' && !GOES_ON.test(line));
  const rows = screen.slice(first, foot < 0 ? screen.length : foot);
  // Blank rows are the end of the text or what is left free below it: only the cursor tells.
  const end =
    Math.max(
      row - first,
      rows.findLastIndex((line) => line !== ''),
    ) + 1;
  return Array.from({ length: end }, (_, at) => rows[at] ?? '')
    .map((line, at) => (first + at === row ? withBar(line, column) : line))
    .map((line) => line.replace(MARKS, ''));
}

/** Resolves when the editor is seen like this: its rows joined by `/`, a bar where the cursor is. */
export async function waitForEditor(terminal: TestTerminal, wanted: string): Promise<void> {
  let seen = '';
  try {
    await terminal.waitFor(() => {
      seen = editorOn(terminal).join('/');
      return seen === wanted;
    });
  } catch (error) {
    throw new Error(`the editor shows ${seen}, not ${wanted}`, { cause: error });
  }
}

function withBar(line: string, column: number): string {
  const measure = { columns: 1_000, ruler: wideRuler, tokens: new Map<string, string>() };
  let used = 0;
  for (const cell of cellsOf(line, measure)) {
    if (used >= column) return `${line.slice(0, cell.start)}|${line.slice(cell.start)}`;
    used += cell.columns;
  }
  return `${line}${' '.repeat(Math.max(0, column - used))}|`;
}
