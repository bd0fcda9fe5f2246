import { detach, neverFails } from '../../hub/base/detach.js';
import type { Context } from '../command_line/command_context.js';
import { type Lane, renderBoard } from '../render/reports/race_board.js';

export interface BoardScreen {
  /** Something has happened in a lane. */
  changed(): void;
  /** Shows how it has ended. */
  end(): Promise<readonly Lane[]>;
}

const PACE_MS = 500;

/** Shows a board: on a terminal in place, elsewhere when it has ended. */
export function showBoard(context: Context, read: () => Promise<readonly Lane[]>): BoardScreen {
  const isLive = context.screen.isTty && !context.json && !context.isInChat;
  let rows = 0;
  let drawing: Promise<void> | null = null;
  let isDue = false;

  async function draw(): Promise<readonly Lane[]> {
    const lanes = await read();
    if (context.json) return lanes;
    const text = renderBoard(lanes, await context.look(lanes.map(({ label }) => label)));
    const back = rows === 0 ? '' : `\x1b[${rows}A\x1b[J`;
    rows = isLive ? lanes.length : 0;
    await context.out.write(back + text);
    return lanes;
  }

  async function drawOn(): Promise<void> {
    while (isDue) {
      isDue = false;
      await draw();
      await new Promise((resolve) => setTimeout(resolve, PACE_MS));
    }
    drawing = null;
  }

  return {
    changed() {
      isDue = true;
      if (!isLive || drawing !== null) return;
      drawing = drawOn();
      detach(drawing, neverFails);
    },
    async end() {
      isDue = false;
      await drawing;
      return draw();
    },
  };
}
