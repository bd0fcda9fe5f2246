import { HubError } from '../../hub/base/error.js';
import { textOf } from '../../hub/base/node_blocks.js';
import type { Block } from '../../hub/protocol/node.js';
import { count, shortId } from '../render/text/ids_and_counts.js';
import type { BranchSource } from './branch_source.js';

/** More of them are counted and not named: the hash of the last names all. */
const NODES_NAMED_MAX = 100;

/** The final answer of a branch, word for word. */
export function answerText({ answer, tip }: BranchSource): string {
  if (answer !== null) return textOf(answer.blocks);
  throw new HubError('not_found', `nothing was answered on the branch of ${shortId(tip.id)}`, {
    hint: 'say yourself what it found, behind the node',
  });
}

/** The message: where it is from in the first line, so that trees show it, then the text, then the nodes by their hashes. */
export function mergeBlocks(source: BranchSource, text: string): Block[] {
  const { tip, since, nodes } = source;
  const head = `Merged from ${shortId(tip.id)} (${count(nodes.length, 'node')} since ${shortId(since.id)}):`;
  const named = nodes.slice(-NODES_NAMED_MAX);
  const provenance = [
    `Provenance: the branch that ends at ${tip.id} (sha256 ${tip.hash})`,
    `left this one at ${since.id} (sha256 ${since.hash})`,
    `its nodes: ${named.join(' ')}${nodes.length > named.length ? ' and those before' : ''}`,
  ].join('; ');
  return [head, text, provenance].map((part) => ({ type: 'text', text: part }));
}
