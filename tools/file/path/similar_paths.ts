import { opendir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errnoOf } from '../../../hub/base/errno.js';
import { HubError } from '../../../hub/base/error.js';
import { fileError, shownPath } from './file_errors.js';
import { type Pinned, withPinned } from './pinned_path.js';
import { type FileGuard, requireRead } from './policy_guard.js';

const NAMES_LOOKED_AT = 5_000;
const NAMES_SHOWN = 5;
const LISTED = 20;

/** What is said of a path that leads to nothing: names in its folder that are like it, as far as they may be seen. */
export async function missing(absolute: string, asked: string, guard: FileGuard): Promise<HubError> {
  const folder = dirname(absolute);
  const what = `${shownPath(asked)} does not exist`;
  try {
    return await withPinned(folder, 'folder', async (pinned) => {
      await requireRead(guard, pinned, asked);
      const near = nearestNames(basename(absolute), await namesIn(pinned, guard));
      if (near.length === 0) return new HubError('not_found', what, { hint: `look into ${shownPath(folder)}` });
      return new HubError('not_found', what, { hint: `there is ${near.map(shownPath).join(', ')}` });
    });
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '') || folder === absolute) return fileError(error, asked);
    return missing(folder, asked, guard);
  }
}

/** What is said of a folder where a file was wanted. */
export async function isFolder(
  pinned: Pinned,
  { asked, guard }: { asked: string; guard: FileGuard },
): Promise<HubError> {
  const names = (await namesIn(pinned, guard)).sort();
  const shown = names.slice(0, LISTED).map(shownPath).join(', ');
  const more = names.length > LISTED ? `, and ${names.length - LISTED} more` : '';
  return new HubError('invalid_params', `${shownPath(asked)} is a folder, not a file`, {
    hint: names.length === 0 ? 'it is empty' : `in it: ${shown}${more}`,
  });
}

/** Names of what may be read: of anything else it is not told that it is there. */
async function namesIn(pinned: Pinned, guard: FileGuard): Promise<string[]> {
  const names: string[] = [];
  let count = 0;
  for await (const entry of await opendir(pinned.at)) {
    if (guard.mayRead(join(pinned.path, entry.name))) names.push(entry.isDirectory() ? `${entry.name}/` : entry.name);
    count += 1;
    if (count >= NAMES_LOOKED_AT) break;
  }
  return names;
}

/** Names that are like one that is not there, the most alike first. */
function nearestNames(wanted: string, names: readonly string[]): string[] {
  const key = folded(wanted);
  return names
    .map((name) => ({ name, likeness: likeness(key, folded(name.replace(/\/$/, ''))) }))
    .filter(({ likeness }) => likeness >= 0.4)
    .sort((one, other) => other.likeness - one.likeness)
    .slice(0, NAMES_SHOWN)
    .map(({ name }) => name);
}

// Letters that look the same may be written in several ways, and a blank may be one of many.
function folded(name: string): string {
  return name.normalize('NFKC').toLowerCase().replace(/\s/g, ' ');
}

/** How alike two texts are, from 0 to 1: the share of neighbouring letters that both have. */
export function likeness(one: string, other: string): number {
  if (one === other) return 1;
  const pairs = new Map<string, number>();
  for (const pair of pairsOf(one)) pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  let both = 0;
  for (const pair of pairsOf(other)) {
    const left = pairs.get(pair) ?? 0;
    if (left > 0) {
      both += 1;
      pairs.set(pair, left - 1);
    }
  }
  return (2 * both) / Math.max(1, one.length + other.length - 2);
}

function* pairsOf(text: string): Generator<string> {
  for (let at = 0; at + 2 <= text.length; at += 1) yield text.slice(at, at + 2);
}
