import { join } from 'node:path';
import { reasonOf } from '../../output/failure.js';
import type { Content } from '../editor/state/buffer.js';
import { adoptDraft, loadDraft, saveDraft } from '../editor/storage/draft.js';
import { appendHistory } from '../editor/storage/history.js';

/** Keeps what is being written, so that nothing is lost with the terminal, and what was sent, to go back to. */
export interface Drafts {
  /** What was being written in a tree; null for nothing. */
  load(tree: string): Content | null;
  /** What a chat that is gone has left unsaid in a new tree, for this new tree; null for nothing. */
  adopt(tree: string): Content | null;
  /** Has what is written kept soon. */
  changed(tree: string): void;
  /** Keeps what is written now. */
  save(tree: string): void;
  /** What is written now is not for this tree. */
  forget(tree: string): void;
  sent(content: Content): Promise<void>;
  stop(): void;
}

/** How long a person has to pause. */
const PAUSE_MS = 400;

export interface DraftsParts {
  home: string;
  written: () => Content;
  /** Whether the open tree exists, so that one can come back to it. */
  isMade: () => boolean;
  /** Told once, when nothing can be kept. */
  failed(reason: string): void;
}

export function createDrafts({ home, written, isMade, failed }: DraftsParts): Drafts {
  const folder = join(home, 'drafts');
  const history = historyPath(home);
  let timer: NodeJS.Timeout | undefined;
  let hasFailed = false;
  const attempt = <T>(work: () => T, otherwise: T): T => {
    try {
      return work();
    } catch (error) {
      fail(error);
      return otherwise;
    }
  };
  const fail = (error: unknown): void => {
    if (!hasFailed) failed(unkeptWords(home, error));
    hasFailed = true;
  };
  const keep = (tree: string, content: Content): void => {
    clearTimeout(timer);
    timer = undefined;
    attempt(() => saveDraft(folder, { tree, isMade: isMade() }, content), undefined);
  };
  const save = (tree: string): void => keep(tree, written());
  return {
    load: (tree) => attempt(() => loadDraft(folder, tree), null),
    adopt: (tree) => attempt(() => adoptDraft(folder, tree), null),
    changed(tree) {
      timer ??= setTimeout(() => save(tree), PAUSE_MS);
    },
    save,
    forget: (tree) => keep(tree, []),
    sent: (content) => appendHistory(history, content).catch(fail),
    stop: () => clearTimeout(timer),
  };
}

/** Why nothing can be kept in a folder. Of a disk that only reads the system says in one place or the other that a path is not there. */
function unkeptWords(home: string, error: unknown): string {
  switch (error instanceof Error && 'code' in error ? error.code : '') {
    case 'ENOSPC':
    case 'EDQUOT':
      return 'the disk is full';
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
    case 'ENOENT':
      return `nothing can be written in ${home}`;
    case 'ENOTDIR':
    case 'EEXIST':
    case 'EISDIR':
      return `something else is in the way in ${home}`;
    default:
      return reasonOf(error);
  }
}

export function historyPath(home: string): string {
  return join(home, 'history.jsonl');
}
