import { showFailure } from '../conversation/conversation_parts.js';
import type { Repl } from '../repl.js';
import type { LineQueue } from './line_queue.js';

/** Brings what waits back into the editor, in the order in which it was said: lines, and inputs to the turn. */
export async function takeBack({ front, conversation }: Repl, lines: LineQueue): Promise<void> {
  try {
    const waiting = lines.takeBack();
    // Each is put before what is in the editor.
    if (waiting.length > 0) await front.giveBack(waiting.join('\n'));
    await conversation().turns.takeBack();
  } catch (error) {
    await showFailure(front, error);
  }
}
