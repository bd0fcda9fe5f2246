import { existsSync } from 'node:fs';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import { textOf } from '../../base/node_blocks.js';
import type { Node, NodeId } from '../../protocol/node.js';
import type { TurnWork } from '../turn/turn_work.js';
import { entriesOf } from './transcript_entries.js';
import { addLines, createTranscript, entryLine, lastLines, refuseForeign } from './transcript_file.js';

/** How far up a path is looked for what a transcript does not have yet. */
const NODES_MAX = 10_000;

/** Adds to one file what a turn has said since it was last written. */
export function transcriptWriter(file: string, { turn, model, reach }: TurnWork) {
  let last: NodeId | null = null;

  /** The file is there with its first entries, or not at all. */
  async function create(nodes: readonly Node[]): Promise<void> {
    const { owner } = await callHub(reach, 'loom.tree_get', { tree: turn.tree });
    const metadata = {
      ...{ session_id: turn.tree, started_at: new Date(turn.startedAtMs).toISOString() },
      ...{ provider: model.provider, model: model.model },
      task: textOf(nodes.find(({ role }) => role === 'user')?.blocks ?? []),
      ...{ parent_session_id: owner?.tree ?? null, is_sub_session: owner !== null },
    };
    await createTranscript(file, { metadata, lines: linesOf(nodes) });
  }

  async function add(nodes: readonly Node[]): Promise<void> {
    const lines = linesOf(nodes);
    if (lines.length > 0) await addLines(file, lines);
  }

  return {
    async write(): Promise<void> {
      if (last === null) {
        // From where the turn began: what it has added since then comes like everything after.
        const known = new Set(existsSync(file) ? await lastLines(file) : []);
        const nodes = await newNodes(reach, turn.node, { last, known });
        if (await refuseForeign(file, turn.tree)) await add(nodes);
        else await create(nodes);
        last = turn.node;
      }
      const { tip } = turn;
      if (tip === last) return;
      await add(await newNodes(reach, tip, { last, known: new Set() }));
      last = tip;
    },
  };
}

function linesOf(nodes: readonly Node[]): string[] {
  return nodes.flatMap(entriesOf).map(entryLine);
}

interface Written {
  /** The last node that is in the file; null when that is not known. */
  last: NodeId | null;
  /** Entries that are in the file, as lines. */
  known: ReadonlySet<string>;
}

/** What stands on the path below what the file has; when it has nothing of the path, what was said since the last answer. */
async function newNodes(reach: InternalCaller, tip: NodeId, { last, known }: Written): Promise<Node[]> {
  const nodes: Node[] = [];
  let sinceAnswer: number | null = null;
  for (let at: NodeId | null = tip; at !== null && at !== last && nodes.length < NODES_MAX; ) {
    const { node }: { node: Node } = await callHub(reach, 'loom.node_get', { node: at, tree: null });
    if (entriesOf(node).some((entry) => known.has(entryLine(entry)))) return nodes.reverse();
    if (node.role === 'assistant' || node.role === 'summary') sinceAnswer ??= nodes.length;
    if (last === null && known.size === 0 && sinceAnswer !== null) break; // a new file has nothing to look for
    nodes.push(node);
    at = node.parent;
  }
  const isKnown = last !== null;
  return (isKnown || sinceAnswer === null ? nodes : nodes.slice(0, sinceAnswer)).reverse();
}
