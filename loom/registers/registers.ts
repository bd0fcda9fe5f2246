import { DECIDED_AT_MS_MAX } from '../../hub/protocol/limits.js';
import type { Register } from '../../hub/protocol/methods/sharing_methods.js';
import { dashed, type TreeRow } from '../store/rows.js';
import type { Store } from '../store/store.js';
import { hubId } from './hub_id.js';

/** When a register was written, and where. */
interface Stamp {
  at_ms: number;
  hub: string;
}

interface StoredRegister extends Stamp {
  key: string;
  /** JSON. */
  value: string;
}

/** Notes a change of a tree that is made here, if the tree is shared: it is later than whatever was known. */
export function noteRegister(
  store: Store,
  { tree, atMs }: { tree: number; atMs: number },
  change: { kind: string; fields: string },
): void {
  if (store.get('SELECT 1 FROM shares WHERE tree = ? LIMIT 1', tree) === undefined) return;
  const changed = changedBy(change);
  if (changed === null) return;
  const before = readRegister(store, tree, changed.key)?.at_ms ?? -1;
  // Another hub may have given it the last time there is: what comes after would be refused by all.
  const at_ms = Math.min(DECIDED_AT_MS_MAX, Math.max(atMs, before + 1));
  putRegister(store, tree, { ...changed, at_ms, hub: hubId(store) });
}

/** What the registers of a tree are when it is shared first. */
export function seedRegisters(store: Store, row: TreeRow): void {
  const hub = hubId(store);
  const seed = (key: string, value: unknown, atMs: number): void => {
    if (readRegister(store, row.tree, key) === undefined)
      putRegister(store, row.tree, { key, value: JSON.stringify(value), at_ms: atMs, hub });
  };
  seed('name', row.name, row.created_at_ms);
  if (row.archived_at_ms !== null) seed('archived', true, row.archived_at_ms);
  const marks =
    'SELECT m.name, lower(hex(n.id)) AS id, m.set_at_ms FROM marks m JOIN nodes n ON n.seq = m.node WHERE m.tree = ?';
  for (const { name, id, set_at_ms } of store.all<{ name: string; id: string; set_at_ms: number }>(marks, row.tree))
    seed(`mark:${name}`, dashed(id), set_at_ms);
  const tops =
    'SELECT lower(hex(n.id)) AS id, a.archived_at_ms FROM archived_branches a JOIN nodes n ON n.seq = a.node WHERE a.tree = ?';
  for (const { id, archived_at_ms } of store.all<{ id: string; archived_at_ms: number }>(tops, row.tree))
    seed(`branch:${dashed(id)}`, true, archived_at_ms);
}

/** Takes a register of another hub if it is later than what is here; returns whether it was. */
export function takeRegister(store: Store, tree: number, register: Register): boolean {
  const taken = {
    key: keyOf(register),
    value: JSON.stringify(register.value),
    at_ms: register.at_ms,
    hub: register.hub,
  };
  const before = readRegister(store, tree, taken.key);
  if (before !== undefined && !isLater(taken, before)) return false;
  putRegister(store, tree, taken);
  return true;
}

/** What a tree's registers are, in the form of the protocol. */
export function listRegisters(store: Store, tree: number): (Stamp & { of: string; value: unknown })[] {
  const rows = store.all<StoredRegister>(
    'SELECT key, value, at_ms, hub FROM registers WHERE tree = ? ORDER BY key',
    tree,
  );
  return rows.map(registerOf);
}

/** The same for every hub: a clock can stand still, and a copied home has the same name. */
function isLater(one: StoredRegister, other: StoredRegister): boolean {
  if (one.at_ms !== other.at_ms) return one.at_ms > other.at_ms;
  if (one.hub !== other.hub) return one.hub > other.hub;
  return one.value > other.value;
}

function keyOf(register: Register): string {
  switch (register.of) {
    case 'mark':
      return `mark:${register.name}`;
    case 'branch':
      return `branch:${register.node}`;
    case 'name':
    case 'archived':
      return register.of;
  }
}

function registerOf({ key, value, at_ms, hub }: StoredRegister) {
  const [of = '', ...rest] = key.split(':');
  const named = { mark: { name: rest.join(':') }, branch: { node: rest.join(':') } }[of] ?? {};
  return { of, ...named, value: JSON.parse(value), at_ms, hub };
}

/** What a change of the feed makes of a register; null for a change that is none. */
function changedBy({ kind, fields }: { kind: string; fields: string }): { key: string; value: string } | null {
  const { name, node, mark } = JSON.parse(`{${fields}}`);
  switch (kind) {
    case 'tree_renamed':
      return { key: 'name', value: JSON.stringify(name) };
    case 'tree_archived':
    case 'tree_restored':
      return { key: 'archived', value: String(kind === 'tree_archived') };
    case 'mark_set':
      return { key: `mark:${mark.name}`, value: JSON.stringify(mark.node) };
    case 'mark_removed':
      return { key: `mark:${name}`, value: 'null' };
    case 'branch_archived':
    case 'branch_restored':
      return { key: `branch:${node}`, value: String(kind === 'branch_archived') };
    default:
      return null;
  }
}

function readRegister(store: Store, tree: number, key: string): StoredRegister | undefined {
  return store.get('SELECT key, value, at_ms, hub FROM registers WHERE tree = ? AND key = ?', tree, key);
}

function putRegister(store: Store, tree: number, { key, value, at_ms, hub }: StoredRegister): void {
  const sql = 'INSERT OR REPLACE INTO registers (tree, key, value, at_ms, hub) VALUES (?, ?, ?, ?, ?)';
  store.run(sql, tree, key, value, at_ms, hub);
}
