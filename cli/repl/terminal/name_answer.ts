/** Separates a terminal's answer to the question for its name from what is typed. */
export interface NameAnswer {
  /** The question has been asked. */
  expect(): void;
  /** Gives what a person typed; the beginning of an answer is held back while one is awaited. */
  take(text: string): string;
  /** The answer is no longer awaited, though it may still come: gives what was held back. */
  giveUp(): string;
}

const LENGTH_MAX = 200;
const ESC = '\\x1b';
const ANSWER = new RegExp(`${ESC}P>\\|(\\P{Cc}{0,${LENGTH_MAX}})(?:${ESC}\\\\|\\x9c)`, 'u');
const BEGUN = new RegExp(`${ESC}(?:P(?:>(?:\\|\\P{Cc}{0,${LENGTH_MAX}}${ESC}?)?)?)?$`, 'u');

export function createNameAnswer(answered: (name: string) => void): NameAnswer {
  let state: 'unasked' | 'awaited' | 'late' = 'unasked';
  let held = '';
  return {
    expect() {
      state = 'awaited';
    },
    take(text) {
      if (state === 'unasked') return text;
      const all = held + text;
      held = '';
      const answer = ANSWER.exec(all);
      if (answer !== null) {
        state = 'unasked';
        answered(answer[1] ?? '');
        return all.slice(0, answer.index) + all.slice(answer.index + answer[0].length);
      }
      if (state === 'awaited') held = BEGUN.exec(all)?.[0] ?? '';
      return all.slice(0, all.length - held.length);
    },
    giveUp() {
      const typed = held;
      held = '';
      if (state === 'awaited') state = 'late';
      return typed;
    },
  };
}
