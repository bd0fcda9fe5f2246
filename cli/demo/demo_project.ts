import { lstatSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../../hub/base/errno.js';
import { HubError } from '../../hub/base/error.js';
import { reasonOf } from '../output/failure.js';

const FILES: Readonly<Record<string, string>> = {
  'main.py': `from utils import greet

if __name__ == "__main__":
    print(greet("world"))
`,
  'utils.py': `def greet(name):
    """What main.py prints."""
    return f"Hello, {name}!"
`,
};

/**
 * The small project that demos work in: made when it is not there, and used again, so that the conversations about it stay
 * true. It lies beside the home and not in it: whatever a model runs is kept from seeing the home.
 */
export function demoProject(home: string): string {
  const folder = `${home}-demo`;
  try {
    unlessThere(() => mkdirSync(folder, { mode: 0o700 }));
    const stats = lstatSync(folder);
    // Beside a home that lies in a folder for everybody, somebody else could have been quicker.
    if (!stats.isDirectory() || (process.getuid !== undefined && stats.uid !== process.getuid())) {
      throw new RangeError('it is no folder of your own');
    }
    unlessThere(() => mkdirSync(join(folder, 'src')));
    for (const [name, text] of Object.entries(FILES)) {
      unlessThere(() => writeFileSync(join(folder, 'src', name), text, { flag: 'wx' }));
    }
    return realpathSync(folder);
  } catch (error) {
    throw new HubError('storage_failed', `the folder of the demo, ${folder}, cannot be used: ${reasonOf(error)}`, {
      hint: 'move away what is there, or set COGNITION_HOME to another folder',
      cause: error,
    });
  }
}

/** Makes something new; what is there already stays as it is, with what somebody has changed since. */
function unlessThere(make: () => void): void {
  try {
    make();
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}
