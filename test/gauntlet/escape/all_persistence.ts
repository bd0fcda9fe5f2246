import type { Persistence } from './persistence.js';
import { PERSISTENT_FILES } from './persistent_files.js';
import { PERSISTENT_GIT } from './persistent_git.js';

export const PERSISTENCE: readonly Persistence[] = [...PERSISTENT_GIT, ...PERSISTENT_FILES];

/** The outcome of an attempt to persist, without the sandbox and in it. */
export interface PersistenceVerdict {
  name: string;
  /** Whether the mark is left where the model writes as the person does: otherwise the attempt shows nothing. */
  control: 'left' | 'not left';
  contained: 'prevented' | 'told' | 'silent';
  said: string;
}
