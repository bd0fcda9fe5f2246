import { EXIT } from '../../output/failure.js';

/** The exit code of a chat. */
export interface Verdict {
  /** Notes a failure for scripts. */
  failed(code: number): void;
  code(): number;
}

/** The exit code of the first failure in a script; on a terminal, the person has seen it. */
export function createVerdict(isScript: boolean): Verdict {
  let first: number = EXIT.ok;
  return {
    failed(code) {
      if (isScript && first === EXIT.ok) first = code;
    },
    code: () => first,
  };
}
