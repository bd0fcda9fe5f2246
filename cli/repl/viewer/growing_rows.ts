import type { DisplayText } from '../../display/block.js';
import type { Look } from '../../render/look/look.js';
import { renderFoldedThinking } from '../../render/node/tool_call.js';
import { thoughtLine } from '../../render/screens/viewer_block.js';
import { answerLines, type LineStream, plainLines, rowsOfLines } from '../../render/screens/viewer_lines.js';
import { createCleaner } from '../../render/text/clean.js';
import type { TextRow } from '../../render/text/wrap_words.js';

/** The rows of a growing text; finished lines are drawn once. */
export type GrowingRows = (block: DisplayText, isFolded: boolean, look: Look) => readonly TextRow[];

export function createGrowingRows(): GrowingRows {
  const cleaner = createCleaner();
  let taken = 0;
  let text = '';
  let drawn: { width: number; stream: LineStream; rows: TextRow[]; length: number } | null = null;
  return (block, isFolded, look) => {
    text += cleaner.take(block.text.slice(taken));
    taken = block.text.length;
    const isThinking = block.kind === 'thinking';
    const head = isThinking ? [{ text: renderFoldedThinking(text, look), indent: 0, joint: '\n' }] : [];
    if (isFolded) return head;
    if (drawn?.width !== look.width) {
      const stream = isThinking ? plainLines(look, (line) => thoughtLine(line, look)) : answerLines(look);
      drawn = { width: look.width, stream, rows: [], length: 0 };
    }
    for (const row of rowsOfLines(drawn.stream.push(text.slice(drawn.length)), look)) drawn.rows.push(row);
    drawn.length = text.length;
    return [...head, ...drawn.rows, ...rowsOfLines(drawn.stream.live(), look)];
  };
}
