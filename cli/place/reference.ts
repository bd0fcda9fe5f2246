import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import type { Client } from '../../hub/client/client.js';
import type { Hint } from '../../hub/protocol/errors.js';
import type { NodeId, Tree, TreeId } from '../../hub/protocol/node.js';
import type { Context } from '../command_line/command_context.js';
import { UNICODE } from '../render/look/look.js';
import { plainRuler } from '../render/look/ruler.js';
import { plainStyle } from '../render/look/style.js';
import { labelOf } from '../render/node/node_label.js';
import { shortId } from '../render/text/ids_and_counts.js';
import { treeWords } from '../render/tree/tree_list.js';
import { isNodeId } from './ids.js';

/**
 * What a reference is for. A clash lets a read go on with the first, and stops everything else. An archived tree does
 * not clash with the one that has its name now, except for a purge, which nothing brings back.
 */
export type Purpose = 'read' | 'change' | 'restore' | 'purge';

// The hub is not asked for longer references, nor for empty ones: there are no such names.
const REFERENCE_LENGTH_MAX = 1_000;
const NOTHING = { matches: [], near: [] };

/** Finds the tree that a person means by `@`, a full id, a name or a prefix. */
export async function findTree(context: Context, reference: string, purpose: Purpose): Promise<Tree> {
  const client = await context.client();
  if (reference === '@') return currentTree(context, client);
  const found = isAskable(reference) ? await client.call('loom.tree_find', { ref: reference }) : NOTHING;
  const all = [...found.matches];
  if (purpose === 'restore' || purpose === 'purge')
    all.push(...(await archivedNamesakes(client, found.matches, reference)));
  const matches = purpose === 'purge' ? all : preferred(all, purpose === 'restore');
  const [first, second] = matches;
  if (first === undefined)
    throw notFound(`no tree ${quoted(reference)}`, found.near, ['see them with: ', cliCommand('list')]);
  if (second === undefined) return first;
  const listed = matches.map((tree) => `  ${shortId(tree.id)}  ${treeWords(tree)}`).join('\n');
  if (purpose === 'read') {
    context.note(`${quoted(reference)} means ${matches.length} trees, the first of these was taken:\n${listed}`);
    return first;
  }
  throw new HubError('ambiguous', `${quoted(reference)} means ${matches.length} trees:\n${listed}`, {
    hint: 'give more digits of the id',
    details: { matches: matches.map(({ id }) => id) },
  });
}

function isAskable(reference: string): boolean {
  return reference !== '' && reference.length <= REFERENCE_LENGTH_MAX;
}

/** The archived trees that have the name of the unarchived one that was found. */
async function archivedNamesakes(client: Client, found: readonly Tree[], name: string): Promise<Tree[]> {
  const [first] = found;
  if (first?.name !== name || first.archived_at_ms !== null) return [];
  const namesakes: Tree[] = [];
  for await (const tree of client.pages('loom.tree_list', { archived: true, limit: 500 }, 'trees')) {
    if (tree.name === name) namesakes.push(tree);
  }
  return namesakes;
}

function preferred(trees: readonly Tree[], archived: boolean): readonly Tree[] {
  const fitting = trees.filter((tree) => (tree.archived_at_ms !== null) === archived);
  return fitting.length > 0 ? fitting : trees;
}

async function currentTree(context: Context, client: Client): Promise<Tree> {
  const { current } = context.session.read();
  if (current === null) {
    throw new HubError('not_found', 'there is no current tree', {
      hint: ['run: ', cliCommand('new'), ', or ', cliCommand('use', '<tree>')],
    });
  }
  return client.call('loom.tree_get', { tree: current });
}

/** Finds the node of a tree that a person means by `root`, a full id, a mark or a prefix; `@` is the caller's to know. */
export async function findNode(context: Context, tree: TreeId, reference: string): Promise<NodeId> {
  if (reference === 'root') return rootOf(tree);
  const client = await context.client();
  const { matches, near } = isAskable(reference)
    ? await client.call('loom.node_find', { tree, ref: reference })
    : NOTHING;
  const [first, second] = matches;
  if (first === undefined) {
    throw notFound(`no node ${quoted(reference)} in tree ${shortId(tree)}`, near, [
      'see them with: ',
      cliCommand('show', '--ids'),
      ', or ',
      cliCommand('leaves'),
    ]);
  }
  if (second === undefined) return first.id;
  const look = { width: 60, style: plainStyle, glyphs: UNICODE, ruler: plainRuler, nowMs: 0 };
  const listed = matches.map((node) => `  ${node.id.slice(0, 13)}  ${labelOf(node, look.width, look)}`).join('\n');
  throw new HubError('ambiguous', `${quoted(reference)} means ${matches.length} nodes:\n${listed}`, {
    hint: 'give more digits of the id',
    details: { matches: matches.map(({ id }) => id) },
  });
}

/** The root of a tree has the tree's own id. */
export function rootOf(tree: TreeId): NodeId {
  if (isNodeId(tree)) return tree;
  throw new HubError('internal', `${tree} is no id`);
}

function notFound(message: string, near: readonly string[], otherwise: Hint): HubError {
  const hint = near.length === 0 ? otherwise : `did you mean ${near.map(quoted).join(', ')}?`;
  return new HubError('not_found', message, { hint, details: { near: [...near] } });
}

const SHOWN_LENGTH_MAX = 60;

/** A reference on one line, however long it is. */
export function quoted(reference: string): string {
  const shown = reference.length > SHOWN_LENGTH_MAX ? `${reference.slice(0, SHOWN_LENGTH_MAX)}…` : reference;
  return JSON.stringify(shown);
}
