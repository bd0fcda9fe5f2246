import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { callHub } from '../../base/internal_call.js';
import { textOf } from '../../base/node_blocks.js';
import type { Node, NodeId } from '../../protocol/node.js';
import type { TurnWork } from '../turn/turn_work.js';
import { entriesOf } from './transcript_entries.js';
import { addLines, createTranscript, lastLines, refuseForeign } from './transcript_file.js';

/** How far up a path is searched for what a transcript has already. */
const NODES_MAX = 10_000;

/** Returns what adds to a file all that a turn has said since it was last written, by the path of the folder that it lies in. */
export function transcriptWriter(name: string, work: TurnWork): (folder: string) => Promise<void> {
  let last: NodeId | null = null;
  return async (folder) => {
    const file = join(folder, basename(name));
    const { tip, tree } = work.turn; // the turn goes on meanwhile
    if (tip === last) return;
    const known = new Set(last === null && existsSync(file) ? await lastLines(file) : []);
    const nodes = await newNodes(work, { tip, last }, known);
    const lines = nodes.flatMap(linesOf);
    if (last === null && !(await refuseForeign(file, tree, name))) await create(file, work, nodes);
    else if (lines.length > 0) await addLines(file, lines);
    last = tip;
  };
}

/** The file is there with its first entries, or not at all. */
async function create(file: string, { turn, model, reach }: TurnWork, nodes: readonly Node[]): Promise<void> {
  const { owner } = await callHub(reach, 'loom.tree_get', { tree: turn.tree });
  const metadata = {
    ...{ session_id: turn.tree, started_at: new Date(turn.startedAtMs).toISOString() },
    ...{ provider: model.provider, model: model.model },
    task: textOf(nodes.find(({ role }) => role === 'user')?.blocks ?? []),
    ...{ parent_session_id: owner?.tree ?? null, is_sub_session: owner !== null },
  };
  await createTranscript(file, metadata, nodes.flatMap(linesOf));
}

function linesOf(node: Node): string[] {
  return entriesOf(node).map((entry) => JSON.stringify(entry));
}

/**
 * The path below the last node that was written, or below the last one whose entries the file has. When it has nothing of the
 * path: what was said to the turn since the answer before it, and all of the turn.
 */
async function newNodes(
  { turn, reach }: TurnWork,
  { tip, last }: { tip: NodeId; last: NodeId | null },
  known: ReadonlySet<string>,
): Promise<Node[]> {
  const nodes: Node[] = [];
  let isBefore = false;
  let sinceAnswer: number | null = null;
  for (let id: NodeId | null = tip; id !== null && id !== last && nodes.length < NODES_MAX; ) {
    const { node }: { node: Node } = await callHub(reach, 'loom.node_get', { node: id, tree: null });
    if (linesOf(node).some((line) => known.has(line))) return nodes.reverse();
    isBefore ||= node.id === turn.node;
    if (isBefore && (node.role === 'assistant' || node.role === 'summary')) sinceAnswer ??= nodes.length;
    if (last === null && known.size === 0 && sinceAnswer !== null) break; // a new file has nothing to search for
    nodes.push(node);
    id = node.parent;
  }
  return nodes.slice(0, last === null ? (sinceAnswer ?? nodes.length) : nodes.length).reverse();
}
