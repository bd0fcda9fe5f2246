import { existsSync } from 'node:fs';
import { cliCommand } from '../../hub/base/hint.js';
import type { Client } from '../../hub/client/client.js';
import type { Hint } from '../../hub/protocol/errors.js';
import type { NodeMeta, Tree, TreeId } from '../../hub/protocol/node.js';
import { command, TREE } from '../command_line/command.js';
import type { Context } from '../command_line/command_context.js';
import { metaFrom } from '../input/meta_option.js';
import { EXIT } from '../output/failure.js';
import { writeJsonArray } from '../output/sink.js';
import { listedByFolder } from '../position/listed_by_folder.js';
import { currentTreeIn, findTree } from '../position/reference.js';
import { cleanLine } from '../render/text/clean.js';
import { shortId } from '../render/text/ids_and_counts.js';
import { renderList, treeWords } from '../render/tree/tree_list.js';
import { listRemote } from '../sharing/list_remote.js';
import { chosenRemote } from '../sharing/remotes.js';
import { noteSharedProject } from '../sharing/share_project.js';

/** The most folders that are gone and are named. */
const LOST_MAX = 5;

export const listCommand = command({
  name: 'list',
  summary: 'List conversations, those of this project first, newest activity first.',
  details:
    'A `*` stands at the current one. Each line has the short id, the name or first words, messages, branches, age. Those that work in another folder stand below its name.',
  flags: [
    { name: 'archived', short: null, description: 'the archived ones instead' },
    { name: 'here', short: null, description: 'only those of the repository or folder that you are in' },
  ],
  values: [
    { name: 'of', value: 'tree', choices: null, description: `the sub-sessions of it: ${TREE.description}` },
    {
      name: 'meta',
      value: 'key=value',
      choices: null,
      description: 'only those with a node that a program has said this of',
    },
    { name: 'remote', value: 'remote', choices: null, description: 'what is shared over a remote, by whomever' },
  ],
  paged: true,
  examples: [
    { line: 'cognition list', does: 'lists all conversations' },
    { line: 'cognition list --of @', does: 'lists the sub-sessions of the current conversation' },
    { line: 'cognition list --archived', does: 'lists what delete has hidden' },
  ],
  async run(input, context) {
    const remote = input.value('remote');
    if (remote !== undefined) return listRemote(context, chosenRemote(context, remote));
    const of = input.value('of');
    const meta = metaFrom(input.value('meta'));
    const owner = of === undefined ? null : (await findTree(context, of, 'read')).id;
    const trees = listTrees(await context.client(), {
      owner,
      archived: input.flag('archived'),
      meta,
      project: input.flag('here') ? context.project : null,
    });
    if (context.json) {
      await writeJsonArray(context.out, trees);
      return EXIT.ok;
    }
    const all: Tree[] = [];
    for await (const tree of trees) all.push(tree);
    const look = await context.look(all.map(treeWords));
    const listed = listedByFolder(all, context.project);
    const current = currentTreeIn(context) ?? context.session.read().current;
    await context.out.write(renderList(listed, current, look));
    noteSharedProject(context);
    if (all.length > 0) return EXIT.ok;
    context.note(meta === null ? nothing(input.flag('archived'), owner) : 'No conversation has a node with that.');
    if (input.flag('here')) await noteLostFolders(context);
    return EXIT.ok;
  },
});

function nothing(isArchived: boolean, owner: TreeId | null): Hint {
  if (isArchived) return 'Nothing is archived.';
  return owner === null ? ['No conversations. Start one with: ', cliCommand('new')] : 'It has no sub-sessions.';
}

/** Names conversations whose folder is gone: it may be the one that one is in, by another name. */
async function noteLostFolders(context: Context): Promise<void> {
  const lost = new Map<string, Tree>();
  for await (const tree of listTrees(await context.client(), {
    owner: null,
    archived: false,
    meta: null,
    project: null,
  })) {
    const { project } = tree;
    if (project !== null && !lost.has(project) && !existsSync(project)) lost.set(project, tree);
  }
  for (const [project, { id }] of [...lost].slice(0, LOST_MAX)) {
    context.note([`${cleanLine(project)} is gone: if this is it, go on with: `, cliCommand('chat', shortId(id))]);
  }
}

interface TreeFilter {
  owner: TreeId | null;
  archived: boolean;
  meta: NodeMeta | null;
  project: string | null;
}

function listTrees(client: Client, filter: TreeFilter): AsyncIterable<Tree> {
  return client.pages('loom.tree_list', { ...filter, limit: 500 }, 'trees');
}
