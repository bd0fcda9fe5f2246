import { blocksOfType, spokenText, textOf } from '../../base/node_blocks.js';
import type { Block, Node } from '../../protocol/node.js';

/** What a model is told that was interrupted while it spoke. */
export const GO_ON = 'Go on from where you were interrupted.';

/** The line in a summary below which what was asked stands word for word. */
export const ASKED_LINE = 'What was asked last, and is not answered yet, word for word:';

/**
 * What people have asked on a path since the last answer that came to its end, word for word; empty when all is answered. A summary
 * hands on what it carries. With `isCutOff` the last answer was interrupted.
 */
export function openRequest(path: readonly Node[], isCutOff: boolean): Block[] {
  const asked: Block[][] = [];
  for (let at = path.length - 1; at >= 0; at -= 1) {
    const node = path[at];
    if (node === undefined) break;
    if (node.role === 'summary') {
      asked.push(carriedIn(node));
      break;
    }
    const isLast = at === path.length - 1;
    if (isClosing(node, path[at + 1]) && !(isLast && isCutOff)) break;
    if (node.role === 'user' && !isGoOn(node)) asked.push(node.blocks);
  }
  return asked.reverse().flat();
}

/** Words without calls, unless they were cut off and are gone on with: thoughts alone answer nothing. */
function isClosing({ role, blocks }: Node, next: Node | undefined): boolean {
  if (role !== 'assistant' || blocksOfType(blocks, 'call').length > 0) return false;
  if (textOf(blocks).trim() === '') return false;
  return next === undefined || !isGoOn(next);
}

function isGoOn({ role, blocks }: Node): boolean {
  return role === 'user' && blocks.length === 1 && textOf(blocks) === GO_ON;
}

function carriedIn({ blocks }: Node): Block[] {
  const line = blocks.findIndex((block) => spokenText(block) === ASKED_LINE);
  return line < 0 ? [] : blocks.slice(line + 1);
}
