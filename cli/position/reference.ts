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
 * What a reference is used for. When it is ambiguous, a read takes the first match and everything else fails. An archived
 * tree of the same name counts as a match only for a purge, which cannot be undone.
 */
export type Purpose = 'read' | 'change' | 'restore' | 'purge';

// No name is longer, or empty: such references are not sent to the hub.
const REFERENCE_LENGTH_MAX = 1_000;
const ID_LENGTH = 36;
const NOTHING = { matches: [], near: [] };

/** Resolves `@`, a full id, a name or a prefix to a tree; what acts on `@` asks first where that is of another project. */
export async function findTree(context: Context, reference: string, purpose: Purpose): Promise<Tree> {
  const client = await context.client();
  if (reference === '@') return currentTree(context, client);
  const result = isAskable(reference) ? await client.call('loom.tree_find', { ref: reference }) : NOTHING;
  const all = [...result.matches];
  if (purpose === 'restore' || purpose === 'purge')
    all.push(...(await archivedNamesakes(client, result.matches, reference)));
  const matches = purpose === 'purge' ? all : preferred(all, purpose === 'restore');
  const [first, second] = matches;
  if (first === undefined)
    throw notFound(`no tree ${quoted(reference)}`, result.near, ['see them with: ', cliCommand('list')]);
  if (second === undefined) return first;
  const digits = tellingDigits(matches);
  const listed = matches.map((tree) => `  ${tree.id.slice(0, digits)}  ${treeWords(tree)}`).join('\n');
  if (purpose === 'read') {
    context.note(`${quoted(reference)} means ${matches.length} trees, the first of these was taken:\n${listed}`);
    return first;
  }
  throw new HubError('ambiguous', `${quoted(reference)} means ${matches.length} trees:\n${listed}`, {
    hint: 'give more digits of the id',
    details: { matches: matches.map(({ id }) => id) },
  });
}

/** How much of their ids tells these apart. */
function tellingDigits(matches: readonly { id: string }[]): number {
  let digits = shortId(matches[0]?.id ?? '').length;
  while (digits < ID_LENGTH && new Set(matches.map(({ id }) => id.slice(0, digits))).size < matches.length) digits += 1;
  return digits;
}

function isAskable(reference: string): boolean {
  return reference !== '' && reference.length <= REFERENCE_LENGTH_MAX;
}

/** Archived trees with the same name as the unarchived match. */
async function archivedNamesakes(client: Client, result: readonly Tree[], name: string): Promise<Tree[]> {
  const [first] = result;
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

/** The current tree of the project that the person is in; null when they have used none here. */
export function currentTreeIn({ session, project }: Context): TreeId | null {
  return session.read().projects[project] ?? null;
}

async function currentTree(context: Context, client: Client): Promise<Tree> {
  const current = currentTreeIn(context) ?? context.session.read().current;
  if (current === null) {
    throw new HubError('not_found', 'there is no current tree', {
      hint: ['run: ', cliCommand('new'), ', or ', cliCommand('use', '<tree>')],
    });
  }
  return client.call('loom.tree_get', { tree: current });
}

/** Resolves `root`, a full id, a mark or a prefix to a node of the tree; the caller resolves `@`. */
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
  const digits = tellingDigits(matches);
  const listed = matches.map((node) => `  ${node.id.slice(0, digits)}  ${labelOf(node, look.width, look)}`).join('\n');
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

const QUOTED_LENGTH_MAX = 60;

/** A reference on one line, however long it is. */
export function quoted(reference: string): string {
  const text = reference.length > QUOTED_LENGTH_MAX ? `${reference.slice(0, QUOTED_LENGTH_MAX)}…` : reference;
  return JSON.stringify(text);
}
