import { setTimeout as pause } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { detach, neverFails } from '../../hub/base/detach.js';
import type { Context } from '../command_line/command_context.js';
import type { Look } from '../render/look/look.js';
import { type Lane, renderBoard } from '../render/reports/race_board.js';

export interface BoardScreen {
  /** Shows it from now on. */
  begin(): void;
  /** Leaves the terminal to a question, then goes on below it. */
  whileAway<T>(work: () => Promise<T>): Promise<T>;
  /** Shows how it has ended. */
  end(): Promise<readonly Lane[]>;
}

const PACE_MS = 500;

/** Shows a board: on a terminal in place, in a chat above its editor, elsewhere when it has ended. */
export function showBoard(context: Context, read: () => Promise<readonly Lane[]>): BoardScreen {
  const { chat } = context;
  const isLive = context.screen.isTty && !context.json;
  const ended = new AbortController();
  let shown: string[] = [];
  let isAway = false;
  let drawing: Promise<void> = Promise.resolve();

  async function draw({ hasEnded } = { hasEnded: false }): Promise<readonly Lane[]> {
    const lanes = await read();
    if (context.json || isAway) return lanes;
    const look = await context.look(lanes.map(({ label }) => label));
    const rows = renderBoard(lanes, look);
    if (chat !== null && !hasEnded) {
      chat.showBoard(rows);
      return lanes;
    }
    const isInPlace = isLive && chat === null;
    const most = process.stdout.rows > 1 ? process.stdout.rows - 1 : rows.length;
    const back = isInPlace ? backOver(shown, look) : '';
    const cutRows = isInPlace ? rows.slice(0, most) : rows;
    await context.out.write(back + cutRows.map((row) => `${row}\n`).join(''));
    shown = cutRows;
    return lanes;
  }

  /** Also the clock goes on, and lanes that others have begun. */
  async function drawOn(): Promise<void> {
    while (!ended.signal.aborted) {
      await draw().catch(() => undefined); // the next one may succeed, and the last one tells
      await pause(PACE_MS, undefined, { signal: ended.signal }).catch(() => undefined); // it has ended
    }
  }

  return {
    begin() {
      if (!isLive) return;
      drawing = drawOn();
      detach(drawing, neverFails);
    },
    async whileAway(work) {
      isAway = true;
      try {
        return await work();
      } finally {
        isAway = false;
        shown = [];
      }
    },
    async end() {
      ended.abort();
      await drawing;
      chat?.showBoard([]);
      return draw({ hasEnded: true });
    },
  };
}

/** Takes back rows that were written, which a terminal that has become narrower has wrapped. */
function backOver(rows: readonly string[], look: Look): string {
  const wrapped = rows.map((row) =>
    Math.max(1, Math.ceil(look.ruler.width(stripVTControlCharacters(row)) / Math.max(1, look.width))),
  );
  const height = wrapped.reduce((sum, one) => sum + one, 0);
  return height === 0 ? '' : `\x1b[${height}A\x1b[J`;
}
