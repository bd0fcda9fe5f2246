import { join } from 'node:path';
import type { Sha256 } from '../../../hub/protocol/node.js';
import { openBlobStore } from '../store/blob_store.js';
import { snapshotsIn } from '../store/snapshot.js';
import { PACKS } from './project_files.js';

export interface StoreCheck {
  /** Snapshots that were looked at. */
  files: number;
  bytes: number;
  problems: string[];
  /** Bytes that nobody needs, as they were before they were compressed. */
  unneeded: number;
}

/** Looks whether a store has what snapshots need, and whether it is what was stored. */
export function checkStore(folder: string, roots: readonly Sha256[]): StoreCheck {
  const store = openBlobStore(join(folder, PACKS));
  const snapshots = snapshotsIn(store);
  const needed = new Set<Sha256>();
  const lost = roots.filter((root) => !snapshots.addBlobs(root, needed));
  return {
    files: roots.length,
    bytes: store.bytes(),
    problems: [...store.problems(), ...lost.map((root) => `files of the snapshot ${root} are lost`)],
    unneeded: store.bytesBut((sha256) => needed.has(sha256)),
  };
}
