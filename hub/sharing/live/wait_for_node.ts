import { aborted, raceAbort } from '../../base/abort.js';
import { HubError } from '../../base/error.js';
import { cliCommand } from '../../base/hint.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import { within } from '../../base/wait_at_most.js';
import type { ParsedOf } from '../../protocol/methods/method_table.js';
import type { TreeId } from '../../protocol/node.js';
import { shareOf } from '../sync_remote.js';
import { backOffMs } from './pause.js';

/** A remote that is away is tried again after this at the latest, while somebody waits for it. */
const AGAIN_MS_MAX = 2_000;

/** Sends a tree over a remote after what is being sent there, unless it has been sent up to a number. */
export type SendUpTo = (reach: InternalCaller, remote: string, upTo: { tree: TreeId; seq: number }) => Promise<void>;

/** Waits until a node stands at each remote that its tree is shared over: until PostgreSQL has said so. */
export async function waitForNode(
  { hub, context }: InternalCaller,
  { tree, node: id, timeout_ms }: ParsedOf<'sharing.wait'>,
  send: SendUpTo,
): Promise<{ remotes: string[] }> {
  const timer = AbortSignal.timeout(timeout_ms);
  const signal = AbortSignal.any([context.signal, timer]);
  const reach = { hub, context: { ...context, signal } };
  const { node } = await callHub(reach, 'loom.node_get', { node: id, tree });
  const { shares } = await callHub(reach, 'loom.share_list', { remote: null, tree });
  if (shares.length === 0) {
    throw new HubError('invalid_params', `${tree.slice(0, 8)} is not shared, so there is no remote to wait for`, {
      hint: ['share it: ', cliCommand('share', tree.slice(0, 8))],
    });
  }
  const remotes = shares.map(({ remote }) => remote);
  const late = (): HubError => (timer.aborted ? notThere(id, remotes) : cancelled());
  const sending = Promise.all(remotes.map((remote) => sentOver(reach, remote, { tree, seq: node.seq, send })));
  await raceAbort(sending, signal, late);
  // What was cut off by the end of the wait says nothing of where the node is.
  if (signal.aborted) throw late();
  return { remotes };
}

async function sentOver(
  reach: InternalCaller,
  remote: string,
  { send, ...upTo }: { tree: TreeId; seq: number; send: SendUpTo },
): Promise<void> {
  const { signal } = reach.context;
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      if (await isSent(reach, remote, upTo)) return;
      await send(reach, remote, upTo);
    } catch (error) {
      if (!(error instanceof HubError) || (error.kind !== 'network' && error.kind !== 'cancelled')) throw error;
    }
    await within(Math.min(AGAIN_MS_MAX, backOffMs(failures)), aborted(signal));
  }
}

/** Whether PostgreSQL has acknowledged all of a tree up to a number. */
export async function isSent(
  reach: InternalCaller,
  name: string,
  { tree, seq }: { tree: TreeId; seq: number },
): Promise<boolean> {
  const found = await shareOf(reach, { name }, tree);
  if (found === null) throw new HubError('conflict', `${tree.slice(0, 8)} is not shared over ${name} any more`);
  return found.share.sent >= seq;
}

function notThere(node: string, remotes: readonly string[]): HubError {
  const where = remotes.join(' and ');
  return new HubError('network', `${node.slice(0, 8)} is not known to be at ${where} yet`, {
    hint: ['it is stored here, and sent when that can be reached; see what is to send: ', cliCommand('remote list')],
  });
}

function cancelled(): HubError {
  return new HubError('cancelled', 'waiting for a remote was given up; what was added stays');
}
