// Exchanges each name with another one beside it, `<name>.other`, as fast as it can, until its input ends.
import { lstatSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';

const names = process.argv.slice(2);
/** Where those beside lead, which are links in some tests. */
const targets = new Map(names.map((name) => [name, targetOf(`${name}.other`)]));
let isEnding = false;
process.stdin.on('end', () => {
  isEnding = true;
});
process.stdin.resume();
process.stdout.write('ready\n');

function targetOf(name) {
  return lstatSync(name).isSymbolicLink() ? readlinkSync(name) : null;
}

function exchange(name) {
  const target = targets.get(name) ?? null;
  try {
    renameSync(name, `${name}.kept`);
    renameSync(`${name}.other`, name);
    renameSync(name, `${name}.other`);
    renameSync(`${name}.kept`, name);
  } catch (error) {
    if (target === null) throw error;
    // Whoever works there has taken one of the names, or made it anew.
    rmSync(`${name}.kept`, { recursive: true, force: true });
    rmSync(`${name}.other`, { recursive: true, force: true });
    symlinkSync(target, `${name}.other`);
  }
}

function swap() {
  for (let count = 0; count < 50; count += 1) for (const name of names) exchange(name);
  if (isEnding) process.exit(0);
  setImmediate(swap);
}

swap();
