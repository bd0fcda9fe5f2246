import { hubId } from '../registers/hub_id.js';
import type { Store } from '../store/store.js';

/** A hub that has sent something, and whose it is. */
export interface Origin {
  hub: string;
  by: string;
}

/** Whose what follows is; null for what this hub has made itself. */
export function noteHub(store: Store, { hub, by }: Origin): string | null {
  if (hub === hubId(store)) return null;
  const name = by === '' ? `hub ${hub.slice(0, 8)}` : by;
  store.run(
    'INSERT INTO hubs (id, name) VALUES (?, ?) ON CONFLICT DO UPDATE SET name = excluded.name WHERE name <> excluded.name',
    ...[hub, name],
  );
  return name;
}

const LAST = 'SELECT first, last, hub FROM origins WHERE tree = ? ORDER BY first DESC LIMIT 1';

/** Notes that a hub has made all nodes of a tree that came after `before`. */
export function noteOrigin(store: Store, tree: number, { hub, before }: { hub: string; before: number }): void {
  const newest = newestNode(store, tree);
  const known = store.get<{ first: number; last: number; hub: string }>(LAST, tree);
  if (known?.hub === hub && known.last === before)
    store.run('UPDATE origins SET last = ? WHERE tree = ? AND first = ?', newest, tree, known.first);
  else store.run('INSERT INTO origins (tree, first, last, hub) VALUES (?, ?, ?, ?)', tree, before + 1, newest, hub);
}

/** The newest node of a tree; 0 for one without any. */
export function newestNode(store: Store, tree: number): number {
  return store.get<{ seq: number | null }>('SELECT max(seq) AS seq FROM nodes WHERE tree = ?', tree)?.seq ?? 0;
}
