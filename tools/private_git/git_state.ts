import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { replaceFile } from '../../hub/base/disk/durable_file.js';
import { valueOrNull } from '../sandbox/attempt.js';

const Oid = z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/);

/** What is known of a project's private folder. Kept beside it, where no model writes. */
const GitState = z.strictObject({
  project: z.string(),
  /** The fingerprint of the person's side at the last synchronisation. */
  person: z.string().nullable(),
  /** That of the private folder after it, or after the last look at its commits. */
  model: z.string().nullable(),
  /** Where both sides agreed last. */
  refs: z.record(z.string(), Oid),
  head: z.string().nullable(),
  /** A digest of what the private index holds that nobody but us has put there. */
  index: z.string().nullable(),
  /** What was told already of what could not be taken over, by ref. */
  told: z.record(z.string(), z.string()),
});
export type GitState = z.infer<typeof GitState>;

/** The files of one project. */
export interface StatePaths {
  folder: string;
  /** What is mounted over `.git`: everything in it was written by a model. */
  model: string;
  /** What a job is given. */
  given: string;
  scratch: string;
  tmp: string;
  pointer: string;
  journal: string;
}

export function statePaths(folder: string): StatePaths {
  const at = (name: string): string => join(folder, name);
  return {
    ...{ folder, model: at('model'), given: at('given'), scratch: at('scratch'), tmp: at('tmp') },
    ...{ pointer: at('pointer'), journal: at('journal.json') },
  };
}

export function newState(project: string): GitState {
  return { project, person: null, model: null, refs: {}, head: null, index: null, told: {} };
}

/** The state that was written last, of a project where one is named; what cannot be read counts for nothing. */
export function readState({ folder }: StatePaths, project: string | null): GitState {
  const text = valueOrNull(() => readFileSync(join(folder, 'state.json'), 'utf8'));
  const parsed = GitState.safeParse(text === null ? null : valueOrNull((): unknown => JSON.parse(text)));
  if (parsed.success && (project === null || parsed.data.project === project)) return parsed.data;
  return newState(project ?? '');
}

export function writeState(paths: StatePaths, state: GitState): void {
  replaceFile(join(paths.folder, 'state.json'), JSON.stringify(state));
}

export function makeFolders(paths: StatePaths): void {
  mkdirSync(paths.folder, { recursive: true, mode: 0o700 });
}
