import { createNameAnswer } from './name_answer.js';
import { ASK_NAME } from './sequences.js';

/** Asks a terminal for its name, once, and waits for a moment. */
export interface NameQuestion {
  ask(): void;
  isOpen(): boolean;
  /** Takes what the keyboard sends, and gives the part that a person typed. */
  take(text: string): string;
  /** Stops waiting. */
  close(): void;
}

interface NameQuestionParts {
  write: (bytes: string) => void;
  /** What was typed while an answer might have been coming. */
  typed: (text: string) => void;
  answered: (name: string) => void;
  /** The waiting is over, with or without an answer. */
  over: () => void;
}

/** Local terminals answer within a few; the name of a remote one is known for the next question. */
const WAIT_MS = 100;

export function createNameQuestion({ write, typed, answered, over }: NameQuestionParts): NameQuestion {
  let isSent = false;
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  const answer = createNameAnswer((name) => {
    stop();
    answered(name);
    over();
  });
  const close = (): void => {
    stop();
    const text = answer.giveUp();
    if (text !== '') typed(text);
  };
  return {
    ask() {
      if (isSent) return;
      isSent = true;
      answer.expect();
      timer = setTimeout(() => {
        close();
        over();
      }, WAIT_MS);
      write(ASK_NAME);
    },
    isOpen: () => timer !== undefined,
    take: answer.take,
    close,
  };
}
