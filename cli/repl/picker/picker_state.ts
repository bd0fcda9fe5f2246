import type { TreeId } from '../../../hub/protocol/node.js';
import type { Hit } from '../../render/tree/search_hits.js';
import type { ListedTree } from '../../render/tree/tree_list.js';
import { treeWords } from '../../render/tree/tree_list.js';
import type { Confirmation } from '../editor/keys/confirmation.js';

/** The conversation that is gone on in. */
export interface PickedTree {
  tree: TreeId;
  /** Whether it works in another folder, and the person has said yes to that. */
  isElsewhere: boolean;
  isArchived: boolean;
}

/** A list of conversations, narrowed by what is typed. */
export interface Picking {
  /** All that have been read so far, those of this project first. */
  trees: readonly ListedTree[];
  isWhole: boolean;
  /** The archived ones instead of the others. */
  archived: boolean;
  query: string;
  /** By conversation: where the query occurs in what was said. */
  found: ReadonlyMap<TreeId, Hit>;
  /** What the query leaves of them. */
  listed: readonly ListedTree[];
  selected: number;
  asking: Confirmation<PickedTree> | null;
  message: string | null;
}

export const NOTHING_PICKED: Picking = {
  ...{ trees: [], isWhole: false, archived: false, query: '', found: new Map(), listed: [], selected: 0 },
  ...{ asking: null, message: null },
};

/** A changed list; the chosen conversation stays chosen while it is listed. */
export function relisted(before: Picking, change: Partial<Pick<Picking, 'trees' | 'isWhole' | 'found'>>): Picking {
  const next = withListed({ ...before, ...change });
  const chosen = before.listed[before.selected]?.tree.id;
  const at = next.listed.findIndex(({ tree }) => tree.id === chosen);
  return { ...next, selected: at === -1 ? Math.max(0, Math.min(before.selected, next.listed.length - 1)) : at };
}

/** Another query begins at the first match. */
export function withQuery(before: Picking, query: string): Picking {
  return withListed({ ...before, query, found: new Map(), selected: 0 });
}

/** The other list, which is still to be read. */
export function withOtherList({ archived, query }: Picking): Picking {
  return { ...NOTHING_PICKED, archived: !archived, query };
}

function withListed(state: Picking): Picking {
  const words = plain(state.query)
    .split(' ')
    .filter((word) => word !== '');
  if (words.length === 0) return { ...state, listed: state.trees };
  const listed = state.trees.filter(({ tree, folder }) => {
    if (state.found.has(tree.id)) return true;
    const text = plain(`${treeWords(tree)} ${tree.title} ${folder ?? ''}`);
    return words.every((word) => text.includes(word) || tree.id.startsWith(word));
  });
  return { ...state, listed };
}

/** The form in which a query and what it is looked for in are compared. */
function plain(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ');
}
