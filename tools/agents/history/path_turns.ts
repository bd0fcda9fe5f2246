import { callText } from '../../../hub/base/call_title.js';
import { blocksOfType, readableText } from '../../../hub/base/node_blocks.js';
import { sentPath } from '../../../hub/base/path/sent_path.js';
import type { Block, Node } from '../../../hub/protocol/node.js';
import { AGENT_SOURCE, NO_CALLS } from './agent_source.js';
import type { PastCall, PastTurn } from './past_turn.js';

type External = Extract<Node, { kind: 'external' }>;

/** The turns of a path as another agent is told them: from its newest summary on, without thinking and without calls that never ended. */
export function pathTurns(path: readonly Node[]): PastTurn[] {
  const turns: PastTurn[] = [];
  const nodes = sentPath(path);
  for (const [index, node] of nodes.entries()) {
    if (node.role === 'root' || (node.kind === 'external' && node.step !== null)) continue;
    const results = node.kind === 'text' ? resultsOf(node, nodes.slice(index + 1)) : [];
    const turn = turnOf(node, results);
    if (turn.text !== '' || turn.calls.length > 0) turns.push(turn);
  }
  return turns;
}

/** The results of a step stand behind its answer, in the order of its calls. */
function resultsOf({ step }: Node, after: readonly Node[]): External[] {
  const results: External[] = [];
  for (const node of after) {
    if (node.kind !== 'external' || step === null || node.step?.id !== step.id) break;
    results.push(node);
  }
  return results;
}

function turnOf(node: Node, results: readonly External[]): PastTurn {
  const { created_at_ms: atMs, blocks } = node;
  if (node.role === 'assistant')
    return { role: 'assistant', text: readableText(blocks), calls: callsOf(blocks, results), atMs };
  if (node.kind === 'external' && node.external.handle.source === AGENT_SOURCE)
    return { role: 'assistant', text: readableText(blocks) === NO_CALLS ? '' : readableText(blocks), calls: [], atMs };
  const command =
    node.kind === 'external' ? `I ran ${node.external.call.tool}: ${callText(node.external.call.input)}\n` : '';
  return { role: 'user', text: command + readableText(blocks), calls: [], atMs };
}

function callsOf(blocks: readonly Block[], results: readonly External[]): PastCall[] {
  let at = 0;
  return blocksOfType(blocks, 'call').flatMap(({ id, tool, input }) => {
    const result = results[at];
    if (result?.external.call.id !== id) return [];
    at += 1;
    const { exit_code: code, signal } = result.external;
    return [{ id, tool, input, output: readableText(result.blocks), failed: (code ?? 0) !== 0 || signal !== null }];
  });
}
