import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { replaceFile, replaceFileSoon } from '../../../hub/base/disk/durable_file.js';
import { Sha256 } from '../../../hub/protocol/node.js';
import { attempt } from '../../walk/pinned_folder.js';
import { Change } from './plan_restore.js';

/** The last restore: what was there before and after, and what the conversation knew of. */
const Last = z.strictObject({ from: Sha256, to: Sha256, known: z.strictObject({ from: Sha256, to: Sha256 }) });

/** A restore under way. What is `staging` has changed nothing; what is `applying` is carried through, whoever is killed. */
const Pending = z.strictObject({
  state: z.enum(['staging', 'applying']),
  /** The folder in the project that holds new files, and old ones until they go. */
  drafts: z.string().regex(/^\.cognition-restore-[0-9a-f]{16}$/),
  from: Sha256,
  known: Last.shape.known,
  changes: z.array(Change),
});
export type Pending = z.infer<typeof Pending>;

const RestoreJournal = z.strictObject({
  pending: Pending.nullable(),
  last: Last.nullable(),
});
export type RestoreJournal = z.infer<typeof RestoreJournal>;

export function readJournal(path: string): RestoreJournal {
  const text = attempt(() => readFileSync(path, 'utf8'));
  return text === null ? { pending: null, last: null } : RestoreJournal.parse(JSON.parse(text));
}

export function writeJournal(path: string, journal: RestoreJournal): void {
  replaceFile(path, JSON.stringify(journal));
}

/** Notes that a restore has changed nothing yet, or is carried through: after a power cut what was noted before comes to the same. */
export function noteInJournal(path: string, journal: RestoreJournal): void {
  replaceFileSoon(path, JSON.stringify(journal));
}
