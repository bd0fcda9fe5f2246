import { blocksOfType, spokenText, textOf } from '../../base/node_blocks.js';
import type { Block, Node } from '../../protocol/node.js';

/** What an interrupted model is told. */
export const GO_ON = 'Go on from where you were interrupted.';

/** The line in a summary below which the open request stands word for word. */
export const OPEN_REQUEST_LINE = 'What was asked last, and is not answered yet, word for word:';

/**
 * The blocks of what people asked on a path since its last complete answer; empty when all is answered. What a summary
 * carries over counts, what stands in the last nodes, which are kept, does not. With `isCutOff` the last answer was interrupted.
 */
export function openRequest(path: readonly Node[], isCutOff: boolean, kept = 0): Block[] {
  const requests: Block[][] = [];
  for (let at = path.length - 1; at >= 0; at -= 1) {
    const node = path[at];
    if (node === undefined) break;
    if (node.role === 'summary') {
      requests.push(carriedIn(node));
      break;
    }
    const isLast = at === path.length - 1;
    if (isComplete(node, path[at + 1]) && !(isLast && isCutOff)) break;
    if (node.role === 'user' && at < path.length - kept && !isGoOn(node)) requests.push(node.blocks);
  }
  return requests.reverse().flat();
}

/** Text without calls completes an answer, unless it was cut off and goes on; thinking alone answers nothing. */
function isComplete({ role, blocks }: Node, next: Node | undefined): boolean {
  if (role !== 'assistant' || blocksOfType(blocks, 'call').length > 0) return false;
  if (textOf(blocks).trim() === '') return false;
  return next === undefined || !isGoOn(next);
}

function isGoOn({ role, blocks }: Node): boolean {
  return role === 'user' && blocks.length === 1 && textOf(blocks) === GO_ON;
}

function carriedIn({ blocks }: Node): Block[] {
  const line = blocks.findIndex((block) => spokenText(block) === OPEN_REQUEST_LINE);
  return line < 0 ? [] : blocks.slice(line + 1);
}
