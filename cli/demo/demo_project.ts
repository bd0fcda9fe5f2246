import { lstatSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../../hub/base/errno.js';
import { HubError } from '../../hub/base/error.js';
import { reasonOf } from '../output/failure.js';

const PROGRAM = 'hello-demo.sh';
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
 * The small project of the demo: made once and used again, so that earlier conversations about it stay true. It lies beside
 * the home, because the sandbox hides the home from a model's commands.
 */
export function demoProject(home: string): string {
  const folder = `${home}-demo`;
  try {
    unlessThere(() => mkdirSync(folder, { mode: 0o700 }));
    requireOwn(folder);
    unlessThere(() => mkdirSync(join(folder, 'src')));
    requireOwn(join(folder, 'src'));
    for (const [name, text] of Object.entries(FILES)) {
      unlessThere(() => writeFileSync(join(folder, 'src', name), text, { flag: 'wx' }));
    }
    // What an earlier demo has written comes back where one goes to that conversation.
    rmSync(join(folder, PROGRAM), { force: true });
    return realpathSync(folder);
  } catch (error) {
    throw new HubError('storage_failed', `the folder of the demo, ${folder}, cannot be used: ${reasonOf(error)}`, {
      hint: 'move away what is there, or set COGNITION_HOME to another folder',
      cause: error,
    });
  }
}

/** In a folder for everybody, such as /tmp, another user could have made it first, and a model may have put a link in its place. */
function requireOwn(folder: string): void {
  const stats = lstatSync(folder);
  if (stats.isDirectory() && (process.getuid === undefined || stats.uid === process.getuid())) return;
  throw new RangeError('it is no folder of your own');
}

/** Makes a file or folder; an existing one stays as it is. */
function unlessThere(make: () => void): void {
  try {
    make();
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}
