import { callText } from '../../../hub/base/call_title.js';
import { textOf } from '../../../hub/base/node_blocks.js';
import { sentPath } from '../../../hub/base/path/sent_path.js';
import type { Node, NodeId } from '../../../hub/protocol/node.js';
import type { HubLink } from '../../base/tool_parts.js';
import { AGENT_SOURCE } from '../history/agent_source.js';
import type { PastTurn } from '../history/past_turn.js';

const PAGE_NODES = 1_000;
/** The nodes of a path, from its newest summary on. */
export async function readPath(hub: HubLink, node: NodeId): Promise<Node[]> {
  const nodes: Node[] = [];
  let cursor: string | null = null;
  do {
    const page: { nodes: Node[]; cursor: string | null } = await hub.call('loom.context_get_path', {
      ...{ node, cursor, limit: PAGE_NODES },
    });
    nodes.push(...page.nodes);
    cursor = page.cursor;
  } while (cursor !== null);
  return sentPath(nodes).filter(({ role }) => role !== 'root');
}

/** What a path says before the newest answer ends, and what a person has said since. */
export interface SplitPath {
  before: Node[];
  /** All that was said since, as one text. */
  task: string;
}

export function splitPath(path: readonly Node[]): SplitPath {
  const last = path.findLastIndex((node) => node.role === 'assistant' || node.role === 'summary' || isStep(node));
  const said = path.slice(last + 1);
  return { before: path.slice(0, last + 1), task: said.map(saidText).join('\n\n') };
}

/** Whether a node belongs to what a model or an agent did, and not to what a person said or ran. */
function isStep(node: Node): boolean {
  return node.kind === 'external' && (node.step !== null || node.external.handle.source === AGENT_SOURCE);
}

/** What a node of a person's says. */
function saidText(node: Node): string {
  const text = textOf(node.blocks, '\n');
  if (node.kind !== 'external') return text;
  const { tool, input } = node.external.call;
  return `I ran ${tool}: ${callText(input)}\n${text}`;
}

/** The most of a history that is handed over as text: about 8,000 tokens. */
const HANDED_LENGTH_MAX = 32_000;

/** A history as text before a task, for an agent that takes it in no other form; the oldest is left out where it is long. */
export function handOver(history: readonly PastTurn[], task: string): string {
  const parts: string[] = [];
  let length = 0;
  for (const { role, text, calls } of history.toReversed()) {
    const called = calls.map(({ tool, input, output }) => `[${tool}: ${callText(input)}]\n${output}`);
    const part = `${role === 'user' ? 'Person' : 'Assistant'}: ${[text, ...called].join('\n')}`;
    length += part.length;
    if (length > HANDED_LENGTH_MAX) break;
    parts.unshift(part);
  }
  const isCut = parts.length < history.length;
  const about = isCut
    ? 'The end of what was said before (its beginning was too long and is left out)'
    : 'What was said before';
  return `${about}:\n\n${parts.join('\n\n')}\n\n---\n\n${task}`;
}
