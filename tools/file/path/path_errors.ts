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

/** The error for a path that does not exist, with similar names of its folder that the policy shows. */
export async function missingError(absolute: string, name: string, guard: FileGuard): Promise<HubError> {
  const folder = dirname(absolute);
  const what = `${shownPath(name)} does not exist`;
  try {
    return await withPinned(folder, 'folder', async (pinned) => {
      await requireRead(guard, pinned, name);
      const near = nearestNames(basename(absolute), await namesIn(pinned, guard));
      if (near.length === 0) return new HubError('not_found', what, { hint: `look into ${shownPath(folder)}` });
      return new HubError('not_found', what, { hint: `there is ${near.map(shownPath).join(', ')}` });
    });
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '') || folder === absolute) return fileError(error, name);
    return missingError(folder, name, guard);
  }
}

/** The error for a folder where a file is expected. */
export async function folderError(
  pinned: Pinned,
  { name, guard }: { name: string; guard: FileGuard },
): Promise<HubError> {
  const names = (await namesIn(pinned, guard)).sort();
  const shown = names.slice(0, LISTED).map(shownPath).join(', ');
  const more = names.length > LISTED ? `, and ${names.length - LISTED} more` : '';
  return new HubError('invalid_params', `${shownPath(name)} is a folder, not a file`, {
    hint: names.length === 0 ? 'it is empty' : `in it: ${shown}${more}`,
  });
}

/** The names that may be read; of others not even their existence is revealed. */
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

/** The most similar names, the best first. */
function nearestNames(missing: string, names: readonly string[]): string[] {
  const key = folded(missing);
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

/** The likeness of two texts, from 0 to 1: the share of letter pairs that both have (Dice). */
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
