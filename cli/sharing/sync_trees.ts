import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import type { ResultOf } from '../../hub/protocol/methods/method_table.js';
import type { SyncedFiles } from '../../hub/protocol/methods/sharing_methods.js';
import type { TreeId } from '../../hub/protocol/node.js';
import type { Context } from '../command_line/command_context.js';
import { EXIT } from '../output/failure.js';
import { cleanLine } from '../render/text/clean.js';
import { count, formatBytes, shortId } from '../render/text/ids_and_counts.js';
import { refuseStopped } from './files_text.js';
import { remoteNames } from './remotes.js';

type Synced = ResultOf<'sharing.sync'>['trees'][number];

/** Which way trees are taken over. */
export interface Ways {
  sends: boolean;
  fetches: boolean;
}

/** Takes over what is shared on one remote or on all, and says what came of it; fails where something could not go on. */
export async function syncTrees(context: Context, named: string | undefined, ways: Ways): Promise<number> {
  const names = named === undefined ? remoteNames(context) : [named];
  const all: (Synced & { remote: string })[] = [];
  const allFiles: (SyncedFiles & { remote: string })[] = [];
  const client = await context.client();
  for (const remote of names) {
    const { trees, files } = await client.call('sharing.sync', { remote, ...ways });
    allFiles.push(...files.map((one) => ({ remote, ...one })));
    all.push(...trees.map((tree) => ({ remote, ...tree })));
  }
  if (context.json) await context.printJson({ trees: all, files: allFiles });
  else await context.out.write(syncedText(all, allFiles, names.length > 1));
  if (names.length === 0 || all.length === 0) {
    const next = names.length === 0 ? cliCommand('remote add', 'team', '<address>') : cliCommand('share', '@');
    context.note(['Nothing is shared. Begin with: ', next]);
  }
  for (const one of all) refuseIncomplete(one.remote, [one]);
  for (const one of allFiles) refuseStopped(one.remote, [one]);
  return EXIT.ok;
}

/** Fails where a conversation could not be gone on with: what is here of it is not all. */
export function refuseIncomplete(remote: string, trees: readonly Synced[]): void {
  const stopped = trees.find(({ problem }) => problem !== null);
  if (stopped === undefined) return;
  throw new HubError('conflict', `${remote}: ${shortId(stopped.tree)}: ${stopped.problem}`);
}

type At<T> = readonly (T & { remote: string })[];

function syncedText(all: At<Synced>, files: At<SyncedFiles>, tellsRemote: boolean): string {
  return all
    .map(({ remote, tree, title, sent, received, problem }) => {
      const filed = files.find((one) => one.remote === remote && one.tree === tree);
      const what = [
        ...(sent > 0 ? [`sent ${count(sent, 'piece')}`] : []),
        ...(received > 0 ? [`received ${count(received, 'node')}`] : []),
        ...filesWords(filed),
        ...(problem === null ? [] : ['stopped']),
      ];
      const place = tellsRemote ? `${remote}  ` : '';
      return `${place}${shortId(tree)}  ${what.join(', ') || 'up to date'}  ${cleanLine(title)}\n`;
    })
    .join('');
}

function filesWords(files: SyncedFiles | undefined): string[] {
  if (files === undefined) return [];
  const { sent, received, bytes, refused, problem } = files;
  const size = formatBytes(bytes);
  return [
    ...(sent > 0 ? [`sent ${count(sent, 'snapshot')} of files`] : []),
    ...(received > 0 ? [`received ${count(received, 'snapshot')} of files`] : []),
    ...(sent + received > 0 ? [size] : []),
    ...(refused > 0 ? [`${count(refused, 'set')} of files refused`] : []),
    ...(problem === null || refused > 0 ? [] : ['files stopped']),
  ];
}

/** Finds a tree of a remote by its name, its id or the beginning of it. */
export async function findRemoteTree(context: Context, remote: string, reference: string): Promise<TreeId> {
  const client = await context.client();
  const { trees } = await client.call('sharing.tree_list', { remote, limit: 1_000 });
  const named = trees.filter(({ name, purged }) => name === reference && !purged);
  const begun = /^[0-9a-f-]{4,36}$/.test(reference) ? trees.filter(({ id }) => id.startsWith(reference)) : [];
  const [first, second] = named.length > 0 ? named : begun;
  if (first === undefined) {
    throw new HubError('not_found', `${remote} has no conversation ${JSON.stringify(reference)}`, {
      hint: 'its conversations are listed by: list --remote',
    });
  }
  if (second === undefined) return first.id;
  const ids = [first, second].map(({ id }) => id.slice(0, 13)).join(', ');
  throw new HubError('ambiguous', `${remote} has more than one ${JSON.stringify(reference)}: ${ids}, …`, {
    hint: 'give more digits of the id',
  });
}
