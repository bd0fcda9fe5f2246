// Appends a line of its own to one file after the other, holding some open, until its input ends. Prints each line that was written.
import { closeSync, constants, openSync, writeSync } from 'node:fs';

const files = process.argv.slice(2);
const FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
const LINES_AT_ONCE = 4;
let isEnding = false;
let number = 0;
process.stdin.on('end', () => {
  isEnding = true;
});
process.stdin.resume();

function append() {
  const file = files[number % files.length];
  const fd = openSync(file, FLAGS, 0o644);
  const written = [];
  for (let count = 0; count < LINES_AT_ONCE; count += 1) {
    number += 1;
    const line = `line ${number} of a person`;
    writeSync(fd, `${line}\n`);
    written.push(line);
  }
  closeSync(fd);
  process.stdout.write(`${written.join('\n')}\n`);
  if (isEnding) return;
  // Slower than restores, so that files do not grow without end.
  setTimeout(append, 2);
}

append();
