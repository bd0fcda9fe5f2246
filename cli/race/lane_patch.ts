import { readFileSync } from 'node:fs';
import { HubError } from '../../hub/base/error.js';

/** What configures cognition here is taken from nobody. In a repository git takes paths as those below its top. */
const APPLY = `git apply --whitespace=nowarn --exclude='.cognition*' --exclude='*/.cognition*' --directory="$(git rev-parse --show-prefix 2>/dev/null)"`;
/** No worker writes such lines. Of what is moved git asks only where it goes, not where it comes from. */
const MOVES = /^(?:rename|copy) (?:from|to|old|new) /m;

/** The command that applies the patch in a file to the folder that it runs in. */
export function applyCommand(file: string): string {
  if (MOVES.test(readFileSync(file, 'latin1'))) {
    throw new HubError('invalid_params', 'the patch of that lane is none that a worker makes: nothing was changed');
  }
  return `${APPLY} ${file}`;
}
