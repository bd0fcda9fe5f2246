// Swaps a folder and a symbolic link to another one as fast as it can, until its input ends; or puts such a link in place
// of each folder that somebody makes.
import { mkdirSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [, , folder, secret, how] = process.argv;
const name = join(folder, 'place');
const kept = join(folder, 'kept');
const linked = join(folder, 'linked');
if (how === 'swap') {
  mkdirSync(name);
  writeFileSync(join(name, 'file.txt'), 'harmless same');
}
symlinkSync(secret, linked);

let isEnding = false;
process.stdin.on('end', () => {
  isEnding = true;
});
process.stdin.resume();
process.stdout.write('ready\n');

let made = 0;

/** Gives something the name, from whoever has taken it meanwhile. */
function take(path) {
  try {
    renameSync(path, name);
  } catch {
    // a writer has made a folder of that name
    renameSync(name, join(folder, `made${made}`));
    made += 1;
    take(path);
  }
}

function swap() {
  for (let count = 0; count < 200; count += 1) {
    renameSync(name, kept);
    take(linked);
    renameSync(name, linked);
    take(kept);
  }
  if (isEnding) process.exit(0);
  setImmediate(swap);
}

/** Waits until there is a folder, and takes its name away from it; the link stays for a moment. */
function replace() {
  for (let count = 0; count < 200; count += 1) {
    try {
      renameSync(name, join(folder, `made${made}`));
      made += 1;
      symlinkSync(secret, name);
      unlinkSync(name);
    } catch {
      // nobody has made one, or somebody has made the next
    }
  }
  if (isEnding) process.exit(0);
  setImmediate(replace);
}

if (how === 'swap') swap();
else replace();
