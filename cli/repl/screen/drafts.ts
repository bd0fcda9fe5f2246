import { join } from 'node:path';
import { reasonOf } from '../../failure.js';
import type { Content } from '../editor/buffer.js';
import { loadDraft, saveDraft } from '../editor/draft.js';
import { appendHistory } from '../editor/history.js';

/** Keeps what is being written, so that nothing is lost with the terminal, and what was sent, to go back to. */
export interface Drafts {
  /** What was being written in a tree; null for nothing. */
  load(tree: string): Content | null;
  /** Has what is written kept soon. */
  changed(tree: string): void;
  /** Keeps what is written now. */
  save(tree: string): void;
  sent(content: Content): Promise<void>;
  stop(): void;
}

/** How long a person has to pause. */
const PAUSE_MS = 400;

export interface DraftsParts {
  home: string;
  written: () => Content;
  /** Told once, when nothing can be kept. */
  failed(reason: string): void;
}

export function createDrafts({ home, written, failed }: DraftsParts): Drafts {
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
    if (!hasFailed) failed(reasonOf(error));
    hasFailed = true;
  };
  const save = (tree: string): void => {
    clearTimeout(timer);
    timer = undefined;
    attempt(() => saveDraft(folder, tree, written()), undefined);
  };
  return {
    load: (tree) => attempt(() => loadDraft(folder, tree), null),
    changed(tree) {
      timer ??= setTimeout(() => save(tree), PAUSE_MS);
    },
    save,
    sent: (content) => appendHistory(history, content).catch(fail),
    stop: () => clearTimeout(timer),
  };
}

export function historyPath(home: string): string {
  return join(home, 'history.jsonl');
}
