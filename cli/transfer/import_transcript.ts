import type { Client } from '../../hub/client/client.js';
import type { Block, External, NodeId, TreeId } from '../../hub/protocol/node.js';
import { newNodeId, newTreeId } from '../place/ids.js';
import { rootOf } from '../place/reference.js';
import type { Imported } from './import_records.js';
import type { ReadTranscript, ToldCall, ToldPart } from './transcript_reader.js';

/** How many nodes are on their way at once. */
const SENT_MAX = 64;
const UNFINISHED = 'interrupted: this call did not finish, and what it did is not known';

/** Makes a tree of what a transcript tells. One that cannot be finished is not left behind. */
export async function importTranscript(
  client: Client,
  { session, told }: ReadTranscript,
  project: string,
): Promise<Imported> {
  const tree = newTreeId();
  await client.call('loom.tree_create', { id: tree, project });
  let parent = rootOf(tree);
  for (let from = 0; from < told.length; from += SENT_MAX) {
    const sent = told.slice(from, from + SENT_MAX).map((one) => {
      const { end, answer } = append(client, one, { tree, parent, session });
      parent = end;
      return answer;
    });
    const failed = (await Promise.allSettled(sent)).find((result) => result.status === 'rejected');
    if (failed === undefined) continue;
    await takeBack(client, tree);
    throw failed.reason;
  }
  const made = await client.call('loom.tree_get', { tree });
  return { tree: made, exportedName: null, exportedProject: null, added: made.node_count, present: 0 };
}

interface Place {
  tree: TreeId;
  parent: NodeId;
  session: string;
}

/** Sends what becomes a node or a step, and names its last node, below which the next one stands. */
function append(client: Client, told: ToldPart, place: Place): { end: NodeId; answer: Promise<unknown> } {
  const { tree, parent } = place;
  const id = newNodeId();
  if (told.kind === 'user') {
    const blocks = [textBlock(told.text)];
    return { end: id, answer: client.call('loom.node_create_text', { id, tree, parent, role: 'user', blocks }) };
  }
  if (told.kind === 'command') {
    const node = { id, tree, parent, ...externalOf(told.call, place) };
    return { end: id, answer: client.call('loom.node_create_external', node) };
  }
  const calls = told.calls.map((call) => ({ id: newNodeId(), ...externalOf(call, place) }));
  const blocks = [...(told.text === '' ? [] : [textBlock(told.text)]), ...told.calls.map(callBlock)];
  return {
    end: calls.at(-1)?.id ?? id,
    answer: client.call('loom.step_create', { id, tree, parent, blocks, calls }),
  };
}

function textBlock(text: string): Block {
  return { type: 'text', text };
}

function callBlock({ id, tool, input }: ToldCall): Block {
  return { type: 'call', id: id ?? '', tool, input };
}

function externalOf(
  { id, tool, input, result }: ToldCall,
  { session }: Place,
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

async function takeBack(client: Client, tree: TreeId): Promise<void> {
  const { confirm } = await client.call('loom.tree_purge', { tree });
  await client.call('loom.tree_purge', { tree, confirm });
}
