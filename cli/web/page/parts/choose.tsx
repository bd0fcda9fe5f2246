import type { TreeChoice } from '../source/source.js';

/** All conversations of the home, those of this project first. */
export function Choose({
  trees,
  project,
  open,
}: {
  trees: readonly TreeChoice[];
  project: string;
  open: (tree: string) => void;
}) {
  if (trees.length === 0) {
    return (
      <main class="loading">
        <p>There are no conversations yet. Begin one in the terminal with: cognition ask "…"</p>
      </main>
    );
  }
  return (
    <main class="choose">
      <h1>Conversations</h1>
      <ul>
        {trees.map((tree) => (
          <li key={tree.id}>
            <button type="button" onClick={() => open(tree.id)}>
              <strong>{tree.name ?? (tree.title || tree.id.slice(0, 8))}</strong>
              <small>
                {tree.node_count} nodes, {tree.branch_count} {tree.branch_count === 1 ? 'branch' : 'branches'} ·{' '}
                {new Date(tree.updated_at_ms).toLocaleString()}
                {tree.project === project || tree.project === null ? '' : ` · ${tree.project}`}
              </small>
            </button>
          </li>
        ))}
      </ul>
    </main>
  );
}
