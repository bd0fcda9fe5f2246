import { EXIT } from '../../output/failure.js';

/** What a chat comes to. */
export interface Verdict {
  /** Something failed that a script should know of, by its exit code. */
  failed(code: number): void;
  code(): number;
}

/** The exit code of what failed first; a person has seen what failed, and their chat has none. */
export function createVerdict(isScript: boolean): Verdict {
  let first: number = EXIT.ok;
  return {
    failed(code) {
      if (isScript && first === EXIT.ok) first = code;
    },
    code: () => first,
  };
}
