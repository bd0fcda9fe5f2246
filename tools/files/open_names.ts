import { readdirSync, readlinkSync } from 'node:fs';
import { attempt } from '../walk/pinned_folder.js';

/** The names in a folder of drafts that some process has open, which is how they can still be written. */
export function openNames(drafts: string): string[] {
  const found = new Set<string>();
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    for (const fd of attempt(() => readdirSync(`/proc/${pid}/fd`)) ?? []) {
      const target = attempt(() => readlinkSync(`/proc/${pid}/fd/${fd}`)) ?? '';
      // The folders above have other names in a sandbox.
      const at = target.lastIndexOf(`/${drafts}/`);
      if (at >= 0) found.add(target.slice(at + drafts.length + 2));
    }
  }
  return [...found];
}
