import { HubError } from '../../hub/base/error.js';
import type { Client } from '../../hub/client/client.js';
import type { NodeId, TurnId } from '../../hub/protocol/node.js';
import type { Policy } from '../../hub/protocol/policy.js';
import type { Context } from '../command_line/command_context.js';
import { beginExecution } from '../exec/run_command.js';
import { nodeIdOf } from '../position/ids.js';
import type { Copy } from './copy.js';

const CHECK_MS_MAX = 30 * 60_000;

/** The node of the check of a lane: the same for everybody, so that it runs once. */
function checkNodeOf(turn: TurnId): NodeId {
  return nodeIdOf(`check of ${turn}`);
}

/** How the check of a lane has ended; null while it has not. */
export async function readCheck(client: Client, turn: TurnId): Promise<{ node: NodeId; exitCode: number } | null> {
  const id = checkNodeOf(turn);
  try {
    const { node } = await client.call('loom.node_get', { node: id });
    return node.kind === 'external' ? { node: id, exitCode: node.external.exit_code ?? KILLED } : null;
  } catch (error) {
    if (error instanceof HubError && error.kind === 'not_found') return null;
    throw error;
  }
}

/** Of a check that a signal has ended. */
const KILLED = 128;

/** Runs the check of a lane where that has worked, below its answer; whoever asks for it while it runs waits for it, too. */
export async function runCheck(
  context: Context,
  { copy, tip, network }: { copy: Copy; tip: NodeId; network: boolean },
): Promise<void> {
  const { check, project, folder, turn, tree } = copy;
  if (check === null) return;
  const client = await context.client();
  const policy: Policy = {
    ...{ kind: 'contained', network, writable: [project], readable: null },
    copy: { project, folder, turn },
  };
  const execution = {
    ...{ tree: { id: tree }, parent: tip, id: checkNodeOf(turn), command: check, cwd: project, policy },
    ...{ timeoutMs: CHECK_MS_MAX, detached: false, reset: false, append: true },
  };
  await beginExecution(context, { execution, client, onEvent: () => undefined }).answer;
}
