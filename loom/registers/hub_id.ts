import { HubError } from '../../hub/base/error.js';
import type { Store } from '../store/store.js';

/** By which other hubs know this one: made with its database, and as old as that. */
export function hubId(store: Store): string {
  const id = store.get<{ value: string }>("SELECT value FROM meta WHERE key = 'epoch'")?.value;
  if (id === undefined) throw new HubError('storage_failed', 'the database has lost its epoch');
  return id;
}
