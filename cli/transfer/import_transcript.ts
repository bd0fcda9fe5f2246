import type { Client } from '../../hub/client/client.js';
import type { Block, External, NodeId, TreeId } from '../../hub/protocol/node.js';
import { newNodeId, newTreeId } from '../position/ids.js';
import { rootOf } from '../position/reference.js';
import type { Imported } from './import_records.js';
import type { ReadTranscript, TranscriptCall, TranscriptPart } from './transcript_reader.js';

/** How many nodes are on their way at once. */
const SENT_MAX = 64;
const UNFINISHED = 'interrupted: this call did not finish, and what it did is not known';

/** Makes a tree of a transcript. When that fails no part of the tree stays. */
export async function importTranscript(
  client: Client,
  { session, parts }: ReadTranscript,
  project: string,
): Promise<Imported> {
  const tree = newTreeId();
  await client.call('loom.tree_create', { id: tree, project });
  let parent = rootOf(tree);
  for (let from = 0; from < parts.length; from += SENT_MAX) {
    const sent = parts.slice(from, from + SENT_MAX).map((part) => {
      const { end, answer } = append(client, part, { tree, parent, session });
      parent = end;
      return answer;
    });
    const failed = (await Promise.allSettled(sent)).find((result) => result.status === 'rejected');
    if (failed === undefined) continue;
    await purge(client, tree);
    throw failed.reason;
  }
  const made = await client.call('loom.tree_get', { tree });
  const added = made.node_count;
  return { tree: made, exportedName: null, exportedProject: null, added, present: 0, filed: 0, settings: [] };
}

interface Position {
  tree: TreeId;
  parent: NodeId;
  session: string;
}

/** Sends a part as a node or a step; `end` is its last node, which the next part goes below. */
function append(client: Client, part: TranscriptPart, position: Position): { end: NodeId; answer: Promise<unknown> } {
  const { tree, parent } = position;
  const id = newNodeId();
  if (part.kind === 'user') {
    const blocks = [textBlock(part.text)];
    return { end: id, answer: client.call('loom.node_create_text', { id, tree, parent, role: 'user', blocks }) };
  }
  if (part.kind === 'command') {
    const node = { id, tree, parent, ...externalOf(part.call, position) };
    return { end: id, answer: client.call('loom.node_create_external', node) };
  }
  const calls = part.calls.map((call) => ({ id: newNodeId(), ...externalOf(call, position) }));
  const blocks = [...(part.text === '' ? [] : [textBlock(part.text)]), ...part.calls.map(callBlock)];
  return {
    end: calls.at(-1)?.id ?? id,
    answer: client.call('loom.step_create', { id, tree, parent, blocks, calls }),
  };
}

function textBlock(text: string): Block {
  return { type: 'text', text };
}

function callBlock({ id, tool, input }: TranscriptCall): Block {
  return { type: 'call', id: id ?? '', tool, input };
}

function externalOf(
  { id, tool, input, result }: TranscriptCall,
  { session }: Position,
): { blocks: Block[]; external: External } {
  return {
    blocks: [textBlock(result ?? UNFINISHED)],
    external: {
      call: { tool, input, id },
      handle: { source: 'transcript', source_version: '1.0.0', identifier: `${session}/${id ?? ''}`, metadata: {} },
      ...{ output: null, signal: null, duration_ms: null, cwd: null },
      exit_code: tool === 'bash' && result !== null ? exitCodeIn(result) : null,
    },
  };
}

/** The result of a command that failed ends with its exit code. */
function exitCodeIn(result: string): number {
  return Number(/\(exit code (\d{1,3})\)\s*$/.exec(result)?.[1] ?? 0);
}

async function purge(client: Client, tree: TreeId): Promise<void> {
  const { confirm } = await client.call('loom.tree_purge', { tree });
  await client.call('loom.tree_purge', { tree, confirm });
}
