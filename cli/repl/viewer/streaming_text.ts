import type { Look } from '../../render/look/look.js';
import { renderFoldedThinking } from '../../render/node/tool_call.js';
import { thoughtLine } from '../../render/screens/viewer_block.js';
import { answerLines, type LineStream, plainLines, rowsOfLines } from '../../render/screens/viewer_lines.js';
import { createCleaner } from '../../render/text/clean.js';
import type { TextRow } from '../../render/text/wrap_words.js';
import type { ComingBlock } from './path_blocks.js';

/** A text that is still being written: what is finished of it is drawn once. */
export interface GrowingText extends ComingBlock {
  add(text: string): void;
}

interface Drawn {
  width: number;
  stream: LineStream;
  rows: TextRow[];
  /** Characters of the text that the stream was given. */
  taken: number;
}

/** An answer as it comes. */
export function growingAnswer(): GrowingText {
  return growing((look) => answerLines(look), null);
}

/** What is thought before it; folded it is a row that counts. */
export function growingThought(): GrowingText {
  return growing((look) => plainLines(look, (line) => thoughtLine(line, look)), renderFoldedThinking);
}

function growing(begin: (look: Look) => LineStream, head: ((text: string, look: Look) => string) | null): GrowingText {
  const cleaner = createCleaner();
  let text = '';
  let drawn: Drawn | null = null;
  const caughtUp = (look: Look): Drawn => {
    if (drawn?.width !== look.width) drawn = { width: look.width, stream: begin(look), rows: [], taken: 0 };
    for (const row of rowsOfLines(drawn.stream.push(text.slice(drawn.taken)), look)) drawn.rows.push(row);
    drawn.taken = text.length;
    return drawn;
  };
  return {
    add(added) {
      text += cleaner.take(added);
    },
    isCall: false,
    text: () => text,
    rows(look, isFolded) {
      const top = head === null ? [] : [{ text: head(text, look), indent: 0, joint: '\n' }];
      if (isFolded) return top;
      const { rows, stream } = caughtUp(look);
      return [...top, ...rows, ...rowsOfLines(stream.live(), look)];
    },
  };
}
