import { callText } from '../../hub/base/call_title.js';
import type { Client } from '../../hub/client/client.js';
import type { ResultOf } from '../../hub/protocol/methods/method_table.js';
import type { NodeId, TreeId } from '../../hub/protocol/node.js';
import { turnIfThere } from '../position/position.js';
import type { Lane } from '../render/reports/race_board.js';

export type Copy = ResultOf<'files.copy_list'>['copies'][number];

/** The copies of the newest race in a tree, in the order of its lanes. */
export async function raceIn(client: Client, tree: TreeId): Promise<Copy[]> {
  const { copies } = await client.call('files.copy_list', { tree });
  return copies.filter(({ node }) => node === copies[0]?.node);
}

/** Where a lane stands. */
export async function laneOf(client: Client, copy: Copy, number: number): Promise<Lane> {
  const { turn: id, tree, label, project, node, at_ms: atMs } = copy;
  const turn = await turnIfThere(client, id);
  const [check, { total: cost }, files] = await Promise.all([
    turn === null || copy.check === null ? null : checkBelow(client, turn.tip, copy.check),
    client.call('loom.cost_get', { turn: id }),
    turn === null || turn.tip === node
      ? null
      : client.call('files.diff', { project, tree, node, other: turn.tip, detail: 'lines' }),
  ]);
  const changes = files?.changes ?? [];
  return {
    ...{ number, label, turn: id, state: turn?.state ?? 'starting', check: check?.exitCode ?? null },
    tip: check?.node ?? turn?.tip ?? node,
    ...{ files: files?.changed ?? 0, cost },
    added: changes.reduce((sum, { lines }) => sum + (lines?.added ?? 0), 0),
    removed: changes.reduce((sum, { lines }) => sum + (lines?.removed ?? 0), 0),
    seconds: Math.max(0, ((turn?.ended_at_ms ?? Date.now()) - atMs) / 1_000),
  };
}

/** The node of the check below the end of a lane, and how it ended. */
async function checkBelow(
  client: Client,
  tip: NodeId,
  command: string,
): Promise<{ node: NodeId; exitCode: number | null } | null> {
  const { children } = await client.call('loom.node_get_children', { node: tip, limit: 100 });
  for (const { id } of children) {
    const { node } = await client.call('loom.node_get', { node: id });
    if (node.kind === 'external' && node.external.call.id === null && callText(node.external.call.input) === command) {
      return { node: id, exitCode: node.external.exit_code };
    }
  }
  return null;
}
