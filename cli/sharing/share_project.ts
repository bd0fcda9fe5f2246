import { dirname } from 'node:path';
import { refuseForeignHome } from '../../hub/base/disk/home_owner.js';
import { makeFolder } from '../../hub/base/disk/make_folder.js';
import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import { environment, readPreferences, writePreference } from '../../hub/config/config.js';
import {
  readSharedProjects,
  SHARED_PROJECTS,
  type SharedProject,
  sharedProjectsText,
} from '../../hub/config/shared_projects.js';
import type { Tree } from '../../hub/protocol/node.js';
import type { Context } from '../command_line/command_context.js';
import { withFileLock } from '../files/file_lock.js';
import { ask } from '../input/ask_person.js';
import { EXIT, reasonOf } from '../output/failure.js';
import { cleanLine } from '../render/text/clean.js';
import { count, shortId } from '../render/text/ids_and_counts.js';
import { treeWords } from '../render/tree/tree_list.js';
import { chosenRemote } from './remotes.js';

/** Conversations that are named before they are shared; the others are counted. */
const NAMED_MAX = 50;

export const PROJECT_FLAG = {
  name: 'project',
  short: null,
  description: 'all conversations of the project that you are in, and new ones of it',
} as const;

interface ShareInput {
  argument(name: 'tree' | 'remote'): string | undefined;
  flag(name: 'project' | 'yes'): boolean;
}

/** With --project the first word names the remote. */
export function remoteOfProject(input: ShareInput, context: Context): string {
  if (input.argument('remote') === undefined) return chosenRemote(context, input.argument('tree'));
  throw new HubError('invalid_params', 'either a conversation or --project', {
    hint: ['say which remote alone: ', cliCommand('share', '--project', 'team')],
  });
}

/** The conversation that is named. */
export function requireTree(input: ShareInput): string {
  if (input.flag('yes')) throw new HubError('invalid_params', '--yes goes with --project');
  const tree = input.argument('tree');
  if (tree !== undefined) return tree;
  throw new HubError('invalid_params', 'which conversation? Its name or id, `@` for the current one, or --project');
}

/** Shares what there is of the project that one is in, and what comes, after it was said and confirmed. */
export async function shareProject(context: Context, remote: string, isSure: boolean): Promise<number> {
  const { project } = context;
  const client = await context.client();
  const { writes } = await client.call('sharing.remote_check', { remote });
  if (!writes) {
    throw new HubError('unauthorised', `nothing can be shared over ${remote} with your login`, {
      hint: ['see what is missing: ', cliCommand('remote doctor', remote)],
    });
  }
  const { trees, archived, shared } = await treesOf(context, remote);
  const own = trees.filter(({ id }) => !shared.has(id));
  if (!isSure || !context.json) context.note(planText({ project, remote, own, archived }));
  if (!isSure && (await ask(context, 'Shall all of that be shared? yes or no:')) !== 'yes') {
    throw new HubError('approval_needed', 'nothing was shared', { hint: 'it asks for yes' });
  }
  await changeProjects(context, (all) => [...without(all, { remote, project }), { remote, project }]);
  const failed: string[] = [];
  for (const { id } of own) {
    const sharing = client.call('sharing.share', { remote, tree: id });
    await sharing.catch((error: unknown) => void failed.push(`${shortId(id)}: ${reasonOf(error)}`));
  }
  const done = { remote, project, shared: own.length - failed.length };
  if (context.json) await context.printJson(done);
  else {
    const sent = count(done.shared, 'conversation');
    await context.out.write(cleanLine(`Shared ${sent} of ${project} over ${remote}, and new ones from now on.`));
    await context.out.write('\n');
  }
  if (failed[0] === undefined) return EXIT.ok;
  throw new HubError('conflict', `${count(failed.length, 'conversation')} could not be shared: ${failed[0]}`, {
    hint: ['try it again: ', cliCommand('share', '--project', remote)],
  });
}

/** Shares nothing more of the project that one is in; what is here stays. */
export async function unshareProject(
  context: Context,
  remote: string,
  { purge, isSure }: { purge: boolean; isSure: boolean },
): Promise<number> {
  const { project } = context;
  const client = await context.client();
  const { trees, archived, shared } = await treesOf(context, remote);
  const gone = [...trees, ...archived].filter(({ id }) => shared.has(id));
  const wasShared = sharedProjects(context).some((one) => one.remote === remote && one.project === project);
  if (!wasShared && gone.length === 0) {
    throw new HubError('not_found', cleanLine(`nothing of ${project} is shared over ${remote}`));
  }
  if (purge && !isSure) {
    context.note(`This deletes at ${remote}:\n${namesText(gone)}`);
    if ((await ask(context, 'Shall that be deleted there? yes or no:')) !== 'yes')
      throw new HubError('approval_needed', 'nothing was changed', { hint: 'it asks for yes' });
  }
  // First: what is made meanwhile stays here.
  await changeProjects(context, (all) => without(all, { remote, project }));
  for (const { id } of gone) await client.call('sharing.unshare', { remote, tree: id, purge });
  if (context.json) await context.printJson({ remote, project, unshared: gone.length });
  else {
    const there = purge ? ', and they are deleted there' : '';
    const sent = count(gone.length, 'conversation');
    await context.out.write(
      `${cleanLine(`Of ${project} nothing is shared over ${remote} any more: ${sent}${there}`)}.\n`,
    );
  }
  return EXIT.ok;
}

/** Says where new conversations of the project that one is in go. */
export function noteSharedProject(context: Context): void {
  const remotes = sharedProjects(context).filter(({ project }) => project === context.project);
  if (remotes.length === 0) return;
  const names = remotes.map(({ remote }) => remote).join(' and ');
  context.note([
    `New conversations of this project are shared over ${names}; that ends: `,
    cliCommand('unshare', '--project'),
  ]);
}

/** The projects that are shared as a whole. */
function sharedProjects({ paths }: Pick<Context, 'paths'>): SharedProject[] {
  return readSharedProjects(readPreferences({ home: paths.home, project: null, flags: {} }).get(SHARED_PROJECTS));
}

/** Changes which projects are shared as a whole, while no other command does. */
export async function changeProjects(
  context: Context,
  change: (all: SharedProject[]) => SharedProject[],
): Promise<void> {
  const { config, home } = context.paths;
  refuseForeignHome(home, environment('SUDO_UID'));
  makeFolder(dirname(config));
  await withFileLock(`${config}.lock`, () =>
    writePreference(config, SHARED_PROJECTS, sharedProjectsText(change(sharedProjects(context)))),
  );
}

const without = (all: readonly SharedProject[], { remote, project }: SharedProject): SharedProject[] =>
  all.filter((one) => one.remote !== remote || one.project !== project);

interface ProjectTrees {
  trees: Tree[];
  archived: Tree[];
  /** What is shared over the remote. */
  shared: ReadonlySet<string>;
}

async function treesOf(context: Context, remote: string): Promise<ProjectTrees> {
  const client = await context.client();
  const { shares } = await client.call('sharing.list', {});
  const listed = async (archived: boolean): Promise<Tree[]> => {
    const filter = { owner: null, project: context.project, archived, meta: null, limit: 500 };
    const all: Tree[] = [];
    for await (const tree of client.pages('loom.tree_list', filter, 'trees')) all.push(tree);
    return all;
  };
  const shared = new Set<string>(shares.filter((one) => one.remote === remote).map(({ tree }) => tree.id));
  return { trees: await listed(false), archived: await listed(true), shared };
}

function planText({
  project,
  remote,
  own,
  archived,
}: {
  project: string;
  remote: string;
  own: readonly Tree[];
  archived: readonly Tree[];
}): string {
  const what =
    own.length === 0
      ? 'no conversation that is private now'
      : `${count(own.length, 'conversation')} that ${own.length === 1 ? 'is' : 'are'} private now:`;
  const left = archived.length === 0 ? [] : [`What is archived stays here: ${count(archived.length, 'conversation')}.`];
  return [
    cleanLine(`This shares over ${remote}, of ${project}, every new conversation, and ${what}`),
    ...(own.length === 0 ? [] : [namesText(own)]),
    `Whoever may read ${remote} can read all that is said in them, with what commands have printed. Files are not sent.`,
    ...left,
  ].join('\n');
}

function namesText(trees: readonly Tree[]): string {
  const lines = trees.slice(0, NAMED_MAX).map((tree) => `  ${shortId(tree.id)}  ${treeWords(tree)}`);
  const more = trees.length > NAMED_MAX ? [`  and ${trees.length - NAMED_MAX} more`] : [];
  return [...lines, ...more].join('\n');
}
