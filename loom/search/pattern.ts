import vm from 'node:vm';
import { HubError } from '../../hub/base/error.js';
import type { Slices } from '../paging/slices.js';
import { MATCHES_MAX, type Range } from './terms.js';

/** How long an expression may take for one batch of texts, then for each of them, and for one that is tried again. */
const BATCH_MS = 50;
const TEXT_MS = 100;
const AGAIN_MS = 300;
/** A place is told up to this length. */
const PLACE_LENGTH_MAX = 1_000;

/** A regular expression that is given up when it takes too long: backtracking may take longer than anybody lives. */
export interface Pattern {
  /** The first place in each text that is not empty. */
  first(texts: readonly string[]): Slices<(Range | null)[]>;
  /** The places in a short text. */
  all(text: string): Range[];
}

// The engine looks at the clock while it backtracks, but only what `vm` runs has a limit.
const FIND = new vm.Script(`texts.map((text) => {
  const places = [];
  expression.lastIndex = 0;
  for (let match; places.length < most && (match = expression.exec(text)) !== null; ) {
    if (match[0] === '') expression.lastIndex = match.index + (text.codePointAt(match.index) > 0xffff ? 2 : 1);
    else places.push(match.index, match.index + match[0].length);
  }
  return places;
})`);

export function parsePattern(source: string): Pattern {
  const expression = compiled(source);
  const sandbox = vm.createContext({ expression, texts: [''], most: 1 });
  /** The places in each text, flat; null when the time was over. */
  const run = (texts: readonly string[], most: number, timeout: number): number[][] | null => {
    Object.assign(sandbox, { texts: [...texts], most });
    try {
      return FIND.runInContext(sandbox, { timeout });
    } catch (error) {
      if (isTimeout(error)) return null;
      throw error;
    }
  };
  const firstIn = (text: string): Range | null => {
    // Twice: the machine may have been busy with something else.
    const found = run([text], 1, TEXT_MS) ?? run([text], 1, AGAIN_MS);
    if (found === null) throw tooSlow(source);
    return placeIn(found[0] ?? []);
  };
  return {
    *first(texts) {
      const found = run(texts, 1, BATCH_MS);
      if (found !== null) return found.map(placeIn);
      const places: (Range | null)[] = [];
      for (const text of texts) {
        yield;
        places.push(firstIn(text));
      }
      return places;
    },
    all(text) {
      const [flat = []] = run([text], MATCHES_MAX, TEXT_MS) ?? [];
      return flat.flatMap((start, at): Range[] => (at % 2 === 0 ? [[start, flat[at + 1] ?? start]] : []));
    },
  };
}

function placeIn([start, end]: readonly number[]): Range | null {
  if (start === undefined || end === undefined) return null;
  return [start, Math.min(end, start + PLACE_LENGTH_MAX)];
}

/** With the strict grammar of Unicode where that takes it; `^` and `$` stand for the ends of lines. */
function compiled(source: string): RegExp {
  try {
    return new RegExp(source, 'gimu');
  } catch {
    // The older grammar takes a needless backslash, as other programs do.
  }
  try {
    return new RegExp(source, 'gim');
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^.*: /s, '') : String(error);
    throw new HubError('invalid_params', `${JSON.stringify(source)} is not a regular expression: ${reason}`, {
      hint: 'a sign that means itself has a backslash before it, as in \\( or \\.',
      cause: error,
    });
  }
}

function isTimeout(error: unknown): boolean {
  // It may be an error of the script's own realm, so that its class says nothing.
  return typeof error === 'object' && error !== null && Reflect.get(error, 'code') === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

function tooSlow(source: string): HubError {
  return new HubError('limit', `the expression ${JSON.stringify(source)} takes too long`, {
    hint: 'make it simpler: above all no repetition inside a repetition, as in (a+)+',
  });
}
