import { randomUUID } from 'node:crypto';
import { HubError } from '../../hub/base/error.js';
import type { Client } from '../../hub/client/client.js';
import type { ParamsOf, ResultOf } from '../../hub/protocol/methods/method_table.js';
import type { Task } from '../../hub/protocol/methods/task_methods.js';
import type { NodeId } from '../../hub/protocol/node.js';
import { count } from '../render/text/ids_and_counts.js';
import type { WorkerPlan } from './worker_plan.js';

/** A patch that a model is shown; a longer one is in the stored output alone. */
const SHOWN_BYTES_MAX = 16_384;
const PIECE_BYTES = 1_048_576;

/** Adds what a turn has changed in its copy of the project below its last node, as a patch. Returns the last node then. */
export async function addPatch(
  client: Client,
  { project, facts }: WorkerPlan,
  { task, node, tip }: { task: Task; node: NodeId; tip: NodeId },
): Promise<NodeId> {
  const { tree } = task;
  const { copies } = await client.call('loom.copy_list', { tree, node });
  if (tip === node || copies.length === 0) return tip;
  await client.call('files.settle', { project });
  // What the same hub had begun counts as well, where that was recorded.
  const isOwn = task.former !== null && task.former.hub === task.worker?.hub;
  const found =
    (isOwn ? await differences(client, { project, tree, node: task.node, other: tip }) : null) ??
    (await differences(client, { project, tree, node, other: tip }));
  if (found === null || found.changed === 0 || found.patch === null) return tip;
  const { changed, changes, patch } = found;
  const bytes = Buffer.from(patch, 'base64');
  const lines = changes.slice(0, 100).map(({ kind, path }) => `${kind} ${path}`);
  const head = `${count(changed, 'path')} changed in a copy of ${facts.project}:\n${lines.join('\n')}`;
  const shown = bytes.length <= SHOWN_BYTES_MAX ? `${head}\n\n${bytes.toString()}` : head;
  const external = {
    call: { tool: 'patch', input: { project: facts.project, changed }, id: null },
    handle: { source: 'patch', source_version: '1', identifier: facts.project, metadata: {} },
    output: await storeBytes(client, bytes),
    ...{ exit_code: null, signal: null, duration_ms: null, cwd: null },
  };
  const made = await client.call('loom.node_create_external', {
    tree,
    parent: tip,
    blocks: [{ type: 'text', text: shown }],
    external,
  });
  return made.node.id;
}

/** Null where they are not recorded: what was said counts without them. */
async function differences(
  client: Client,
  between: Omit<ParamsOf<'files.diff'>, 'detail'>,
): Promise<ResultOf<'files.diff'> | null> {
  try {
    return await client.call('files.diff', { ...between, detail: 'patch' });
  } catch (error) {
    if (error instanceof HubError && error.kind === 'not_found') return null;
    throw error;
  }
}

async function storeBytes(client: Client, bytes: Buffer) {
  const upload = randomUUID();
  for (let offset = 0; ; offset += PIECE_BYTES) {
    const piece = bytes.subarray(offset, offset + PIECE_BYTES);
    const done = offset + piece.length >= bytes.length;
    const { output } = await client.call('loom.blob_write', { upload, offset, data: piece.toString('base64'), done });
    if (output != null) return output;
  }
}
