import { readFileSync, renameSync, type Stats, writeFileSync } from 'node:fs';
import * as z from 'zod';
import { Sha256 } from '../../../hub/protocol/node.js';
import { attempt } from '../../walk/pinned_folder.js';
import type { TreeEntry } from '../store/tree_format.js';

/** What files held when they were read last, for as long as the disk says that they have not changed. */
export interface StatCache {
  /** Null when a file must be read. */
  find(path: string, stats: Stats): TreeEntry | null;
  /** `readAtMs`: the time before the file was read. */
  keep(path: string, known: { entry: TreeEntry; stats: Stats; readAtMs: number }): void;
  /** Forgets paths that the last scan has not met, and writes the rest down. */
  save(): void;
}

/** The clocks of disks have steps: what changed so lately may change again without telling. */
const SETTLED_MS = 2_000;
const Row = z.tuple([z.string(), z.string(), z.enum(['file', 'pieces', 'link']), z.int(), z.int(), Sha256]);

interface Known {
  stamp: string;
  entry: TreeEntry;
  isMet: boolean;
}

/** Opens the cache in a file. It is derived: one that cannot be read is begun anew. */
export function openStatCache(path: string): StatCache {
  const known = new Map(rowsIn(path));
  let isChanged = false;
  return {
    find(name, stats) {
      const found = known.get(name);
      if (found?.stamp !== stampOf(stats)) return null;
      found.isMet = true;
      return found.entry;
    },
    keep(name, { entry, stats, readAtMs }) {
      const isSettled = readAtMs - Math.max(stats.mtimeMs, stats.ctimeMs) > SETTLED_MS;
      isChanged =
        (isSettled ? known.set(name, { stamp: stampOf(stats), entry, isMet: true }) : known.delete(name)) !== false;
    },
    save() {
      for (const [name, row] of known) {
        if (!row.isMet) isChanged = known.delete(name);
        row.isMet = false;
      }
      if (!isChanged) return;
      isChanged = false;
      const lines = [...known].map(([name, { stamp, entry }]) =>
        JSON.stringify([name, stamp, entry.kind, entry.mode, entry.size, entry.sha256]),
      );
      // Not made durable: what is lost of it is read again.
      writeFileSync(`${path}.new`, lines.join('\n'), { mode: 0o600 });
      renameSync(`${path}.new`, path);
    },
  };
}

function stampOf({ ino, size, mode, mtimeMs, ctimeMs }: Stats): string {
  return `${ino} ${size} ${mode} ${mtimeMs} ${ctimeMs}`;
}

function* rowsIn(path: string): Generator<[string, Known]> {
  const text = attempt(() => readFileSync(path, 'utf8')) ?? '';
  for (const line of text.split('\n')) {
    const row = rowOf(line);
    if (row === null) return;
    const [name, stamp, kind, mode, size, sha256] = row;
    yield [name, { stamp, entry: { kind, mode, size, sha256 }, isMet: false }];
  }
}

function rowOf(line: string): z.infer<typeof Row> | null {
  try {
    return Row.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null; // the end of a file that was cut off
  }
}
