import { join } from 'node:path';
import { reasonOf } from '../../output/failure.js';
import type { Content } from '../editor/state/buffer.js';
import { adoptDraft, loadDraft, saveDraft } from '../editor/storage/draft.js';
import { appendHistory } from '../editor/storage/history.js';

/** Saves drafts, so that a lost terminal loses no text, and the history of messages. */
export interface Drafts {
  /** The draft of a tree; null for none. */
  load(tree: string): Content | null;
  /** Takes over the draft that an ended chat left in a new tree; null for none. */
  adopt(tree: string): Content | null;
  /** Schedules saving the draft. */
  changed(tree: string): void;
  /** Saves the draft now. */
  save(tree: string): void;
  /** Detaches the draft from the tree. */
  forget(tree: string): void;
  sent(content: Content): Promise<void>;
  stop(): void;
}

/** The pause before a draft is saved. */
const PAUSE_MS = 400;

export interface DraftsParts {
  home: string;
  written: () => Content;
  /** Whether the open tree exists, so that one can come back to it. */
  isMade: () => boolean;
  /** Called once, when drafts cannot be saved. */
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

/** Why a folder cannot be written. On a read-only disk some calls report that the path does not exist. */
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
