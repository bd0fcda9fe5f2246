import { detach } from '../../hub/base/detach.js';
import { HubError } from '../../hub/base/error.js';
import type { LiveEvent } from '../../hub/protocol/methods/live_methods.js';
import type { SyncedFiles } from '../../hub/protocol/methods/sharing_methods.js';
import type { TreeId } from '../../hub/protocol/node.js';
import type { Context } from '../command_line/command_context.js';
import { cleanLine } from '../render/text/clean.js';
import { count, formatBytes, shortId } from '../render/text/ids_and_counts.js';
import { filesWords } from './shared_feed.js';

/** Shows at a terminal how far the files of a conversation are on their way, while something is done. */
export async function withFilesProgress<T>(context: Context, tree: TreeId, work: () => Promise<T>): Promise<T> {
  const { stderr } = process;
  if (stderr.isTTY !== true || context.json) return work();
  const over = new AbortController();
  const onEvent = (event: LiveEvent): void => {
    if (event.kind === 'files_state') stderr.write(`\r\u001b[K${filesWords(event) ?? ''}`);
  };
  const client = await context.client();
  const following = client.stream('sharing.follow', { tree }, { onEvent, signal: over.signal });
  detach(following, () => undefined); // it ends with the work
  return work().finally(() => {
    over.abort();
    stderr.write('\r\u001b[K');
  });
}

/** Says what of a folder has left this machine, and that more will. */
export function noteSentFiles(context: Context, folder: string, all: readonly SyncedFiles[]): void {
  const { sent, bytes, paths } = sumOf(all);
  const now =
    sent === 0
      ? 'Nothing new is recorded of it'
      : `Sent ${count(sent, 'snapshot')} of its files: up to ${count(paths, 'path')}, ${formatBytes(bytes)}`;
  context.note(
    cleanLine(`${now}. What is recorded of ${folder} goes along from now on; what git ignores is never recorded.`),
  );
}

/** Says what has come for a folder, and how it gets there. */
export function noteReceivedFiles(context: Context, folder: string, all: readonly SyncedFiles[]): void {
  const { received, bytes, paths } = sumOf(all);
  if (received === 0 && all.some(({ problem }) => problem !== null)) return;
  if (received === 0) {
    context.note(cleanLine(`No new files of it are there. Those that come are taken for ${folder}.`));
    return;
  }
  const came = `${count(received, 'snapshot')} of its files came along: up to ${count(paths, 'path')}, ${formatBytes(bytes)}`;
  context.note(cleanLine(`${came}. Nothing in ${folder} has changed: \`files restore\` and \`/goto\` bring them.`));
}

/** Fails where the files of a conversation could not be gone on with. */
export function refuseStopped(remote: string, all: readonly SyncedFiles[]): void {
  const stopped = all.find(({ problem }) => problem !== null);
  if (stopped === undefined) return;
  throw new HubError('conflict', `${remote}: ${shortId(stopped.tree)}: ${stopped.problem}`, {
    hint: 'what is said in it is shared all the same',
  });
}

function sumOf(all: readonly SyncedFiles[]): Pick<SyncedFiles, 'sent' | 'received' | 'bytes' | 'paths'> {
  const sum = (numberOf: (one: SyncedFiles) => number): number => all.reduce((total, one) => total + numberOf(one), 0);
  return {
    sent: sum(({ sent }) => sent),
    received: sum(({ received }) => received),
    bytes: sum(({ bytes }) => bytes),
    paths: Math.max(0, ...all.map(({ paths }) => paths)),
  };
}
