import type { Share } from '../protocol/methods/sharing_methods.js';
import type { TreeId } from '../protocol/node.js';
import type { Remote } from './remote_connection.js';

/** Sub-sessions of one shared tree that are fetched: who can write at a remote could hang any number of trees below it. */
export const OWNED_MAX = 1_000;

// Each tree gives no more than it may have, so that a crowded one leaves room for the others.
const OWNED = `
  SELECT id, owner FROM (
    SELECT id, owner, row_number() OVER (PARTITION BY owner ORDER BY id <> ALL($1), id) AS place
    FROM cognition.trees WHERE owner = ANY($1) AND purged_at IS NULL
  ) AS owned WHERE place <= ${OWNED_MAX + 1} AND id <> ALL($1) ORDER BY owner, id`;

export interface OwnedTree {
  id: TreeId;
  owner: TreeId;
}

/** What shared trees own at the remote that is not shared here yet, and those that own more than is fetched. */
export async function ownedTrees(
  remote: Remote,
  family: readonly Share['tree'][],
): Promise<{ owned: OwnedTree[]; crowded: Set<TreeId> }> {
  const topOf = topsOf(family);
  const counts = new Map<TreeId, number>();
  const add = (tree: TreeId): number => {
    const top = topOf(tree);
    counts.set(top, (counts.get(top) ?? 0) + 1);
    return counts.get(top) ?? 0;
  };
  for (const { id, owner } of family) if (owner !== null && topOf(id) !== id) add(owner.tree);
  const crowded = new Set<TreeId>();
  const owned: OwnedTree[] = [];
  for (const row of await remote.query<OwnedTree>(OWNED, [family.map(({ id }) => id)])) {
    if (add(row.owner) <= OWNED_MAX) owned.push(row);
    else crowded.add(topOf(row.owner));
  }
  return { owned, crowded };
}

/** The uppermost of the trees that own a tree, as far as they are among these. */
function topsOf(family: readonly Share['tree'][]): (tree: TreeId) => TreeId {
  const owners = new Map(family.map(({ id, owner }) => [id, owner?.tree]));
  return (tree) => {
    let top = tree;
    // More steps than trees would be a circle.
    for (let steps = 0; steps < family.length; steps += 1) {
      const owner = owners.get(top);
      if (owner === undefined || !owners.has(owner)) break;
      top = owner;
    }
    return top;
  };
}
