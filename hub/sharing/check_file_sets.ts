import { TreeId } from '../protocol/node.js';
import type { Remote } from './remote_connection.js';

// Whether the packs hold what their notes say is proven by whoever takes them; that they are whole is proven with the outputs.
const SETS = `
  SELECT s.tree, s.n, CASE
    WHEN t.id IS NULL OR t.purged_at IS NOT NULL THEN 'are of a conversation that is not there'
    WHEN EXISTS (SELECT FROM unnest(s.packs) AS p (sha256) WHERE NOT EXISTS
      (SELECT FROM cognition.tree_outputs o WHERE o.tree = s.tree AND o.sha256 = p.sha256)) THEN 'lack a pack'
    WHEN NOT EXISTS (SELECT FROM cognition.file_notes f WHERE f.tree = s.tree AND f.n = s.n) THEN 'are of no message'
  END AS problem
  FROM cognition.file_sets s LEFT JOIN cognition.trees t ON t.id = s.tree
  WHERE $1::uuid IS NULL OR (s.tree, s.n) > ($1, $2::bigint) ORDER BY s.tree, s.n LIMIT 500`;
const LONE = `SELECT f.tree, f.n FROM cognition.file_notes f WHERE NOT EXISTS
  (SELECT FROM cognition.file_sets s WHERE s.tree = f.tree AND s.n = f.n) GROUP BY f.tree, f.n ORDER BY f.tree, f.n LIMIT 100`;

/** Looks whether the recorded files at a remote hang together; what is wrong is told. Returns the number of their sets. */
export async function checkFileSets(remote: Remote, tell: (tree: TreeId, problem: string) => void): Promise<number> {
  let count = 0;
  let after: [tree: string | null, n: string] = [null, '0'];
  for (;;) {
    const rows = await remote.query<{ tree: string; n: string; problem: string | null }>(SETS, after);
    for (const { tree, n, problem } of rows)
      if (problem !== null) tell(TreeId.parse(tree), `its recorded files ${n} ${problem}`);
    count += rows.length;
    const last = rows.at(-1);
    if (last === undefined) break;
    after = [last.tree, last.n];
  }
  for (const { tree, n } of await remote.query<{ tree: string; n: string }>(LONE))
    tell(TreeId.parse(tree), `its recorded files ${n} are missing`);
  return count;
}
