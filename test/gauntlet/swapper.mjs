// Exchanges each name with another one beside it, `<name>.other`, as fast as it can, until its input ends.
import { renameSync } from 'node:fs';

const names = process.argv.slice(2);
let isEnding = false;
process.stdin.on('end', () => {
  isEnding = true;
});
process.stdin.resume();
process.stdout.write('ready\n');

function exchange(name) {
  renameSync(name, `${name}.kept`);
  renameSync(`${name}.other`, name);
  renameSync(name, `${name}.other`);
  renameSync(`${name}.kept`, name);
}

function swap() {
  for (let count = 0; count < 50; count += 1) for (const name of names) exchange(name);
  if (isEnding) process.exit(0);
  setImmediate(swap);
}

swap();
