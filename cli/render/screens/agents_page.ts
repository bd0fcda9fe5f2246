import type { Look } from '../look/look.js';
import { formatSeconds } from '../node/tool_call.js';
import { formatPrice } from '../reports/cost_table.js';
import { cleanLine } from '../text/clean.js';
import { cut } from '../text/cut.js';
import type { LiveBlock } from './live_block.js';

/** One turn that runs, or has ended. */
export interface AgentRow {
  activity: string;
  isRunning: boolean;
  /** Null when it is no longer known. */
  model: string | null;
  /** What a sub-session is to do; null for a turn that a person began. */
  task: string | null;
  elapsedMs: number;
  /** Null before they are counted. */
  tokens: { in: number; out: number } | null;
  priceMicrodollars: number | null;
}

export interface AgentsPage {
  title: string;
  rows: readonly AgentRow[];
  chosen: number;
  word: string;
}

/** The text of one turn. */
export interface TurnTextPage {
  title: string;
  rows: readonly string[];
  word: string;
}

/** The rows of a screen for the text of a turn. */
export function turnTextHeight(rows: number): number {
  return Math.max(1, rows - 2);
}

/** Draws the turns, a row each; on a narrow screen the task has precedence over tokens and price. */
export function drawAgents({ title, rows, chosen, word }: AgentsPage, height: number, look: Look): LiveBlock {
  const room = Math.max(1, height - 2);
  const first = Math.max(0, Math.min(chosen - Math.floor(room / 2), rows.length - room));
  const lines = rows.slice(first, first + room).map((row, at) => {
    const isChosen = first + at === chosen;
    const line = cut(`${isChosen ? '> ' : '  '}${rowText(row, look)}`, look.width - 1, look);
    if (isChosen) return look.style.match(line);
    return row.isRunning ? line : look.style.quiet(line);
  });
  return page(title, lines, { word, height, look });
}

/** Draws the text of a turn. */
export function drawTurnText({ title, rows, word }: TurnTextPage, height: number, look: Look): LiveBlock {
  return page(title, rows, { word, height, look });
}

function page(
  title: string,
  rows: readonly string[],
  { word, height, look }: { word: string; height: number; look: Look },
): LiveBlock {
  const room = Math.max(1, height - 2);
  const body = [...rows.slice(0, room), ...Array<string>(Math.max(0, room - rows.length)).fill('')];
  const head = look.style.strong(cut(cleanLine(title), look.width - 1, look));
  return { lines: [head, ...body, look.style.quiet(cut(word, look.width - 1, look))], cursor: null };
}

function rowText({ activity, model, task, elapsedMs, tokens, priceMicrodollars }: AgentRow, look: Look): string {
  const facts = [
    activity,
    formatSeconds(Math.floor(elapsedMs / 1_000) * 1_000),
    ...(tokens === null ? [] : [`i:${tokens.in} o:${tokens.out}`]),
    ...(priceMicrodollars === null ? [] : [formatPrice(priceMicrodollars)]),
    ...(model === null ? [] : [cleanLine(model)]),
  ];
  const what = task === null ? 'your turn' : cleanLine(task);
  const tail = `  ${facts.join('  ')}`;
  const room = look.width - 3 - look.ruler.width(tail);
  if (room >= TASK_COLUMNS_MIN) return `${cut(what, room, look)}${tail}`;
  // Where there is no room for both, what is done counts more than what was spent.
  const taskRoom = look.width - 4 - look.ruler.width(activity);
  return `${activity}  ${cut(what, Math.max(0, taskRoom - 1), look)}`;
}

const TASK_COLUMNS_MIN = 12;
