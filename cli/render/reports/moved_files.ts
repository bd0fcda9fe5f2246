import { basename } from 'node:path';
import type { ResultOf } from '../../../hub/protocol/methods/method_table.js';
import { cleanLine } from '../text/clean.js';
import { count } from '../text/ids_and_counts.js';
import { namedLines } from './file_changes.js';

type Moved = ResultOf<'files.move'>;

const NAMES_MAX = 4;
const KEPT_MAX = 10;

/** What git ignores is installed by these, and stays. */
const LOCK_FILES: ReadonlySet<string> = new Set([
  ...['package-lock.json', 'yarn.lock', 'pnpm-lock.yaml', 'bun.lock', 'poetry.lock', 'uv.lock', 'requirements.txt'],
  ...['Gemfile.lock', 'composer.lock', 'Cargo.lock', 'go.sum', 'mix.lock'],
]);

/** How many paths, and the first of them. */
export function namedCount({ changed, changes }: Moved['own']): string {
  const names = changes.slice(0, NAMES_MAX).map(({ path }) => cleanLine(path));
  const more = changed > names.length ? ` and ${changed - names.length} more` : '';
  return `${count(changed, 'file')}: ${names.join(', ')}${more}`;
}

/** What a person is told of files that were to come along; `undo` takes that back. */
export function movedNotes(moved: Moved, { isLeft, undo }: { isLeft: boolean; undo: string }): string[] {
  switch (moved.outcome) {
    case 'unknown':
    case 'same':
    case 'kept':
    case 'differs':
      return [];
    case 'unrecorded':
      return ['(the files stay as they are: none are recorded for that node or one above it)'];
    case 'own':
      return ['(this branch works in a folder of its own; /take 1 brings what it has made into yours)'];
    case 'busy':
      return ['(the files stay as they are: a turn is running in this folder)'];
    case 'moved':
      return [...changedNotes(moved, undo), ...ownNotes(moved, isLeft), ...keptNotes(moved), ...lockNotes(moved)];
  }
}

function changedNotes({ changed }: Moved, undo: string): string[] {
  return changed === 0
    ? []
    : [`(${count(changed, 'path')} as ${changed === 1 ? 'it was' : 'they were'} there. Back again: ${undo})`];
}

function ownNotes({ own }: Moved, isLeft: boolean): string[] {
  if (own.changed === 0) return [];
  return [isLeft ? `(left where you were, ${namedCount(own)})` : `(carried along, ${namedCount(own)})`];
}

function keptNotes({ kept }: Moved): string[] {
  if (kept.length === 0) return [];
  const more = kept.length > KEPT_MAX ? `\nand ${kept.length - KEPT_MAX} more` : '';
  return [namedLines('left', kept.slice(0, KEPT_MAX)).trimEnd() + more];
}

function lockNotes({ changes }: Moved): string[] {
  const lock = changes.find(({ path }) => LOCK_FILES.has(basename(path)));
  return lock === undefined
    ? []
    : [`(${cleanLine(lock.path)} has changed; what is installed by it, and git ignores, has not)`];
}
