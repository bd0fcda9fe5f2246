// npm start: from a fresh clone to the running program. Arguments after -- are the program's.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensure, typesState } from './ensure.mjs';

// What the program prints names it `cognition`.
if (ensure() && !isCommand()) console.error('cognition: until `npm link` makes it a command, it is `npm start --`');
const makeTypes = [fileURLToPath(new URL('types.mjs', import.meta.url))];
const state = typesState();
// The first time there is much to wait for anyway; later they are made behind the program, and without them it goes on as well.
if (state === 'none') spawnSync(process.execPath, makeTypes, { stdio: ['ignore', 2, 2] });
if (state === 'old') {
  const maker = spawn(process.execPath, makeTypes, { detached: true, stdio: 'ignore' });
  maker.on('error', () => maker.unref());
  maker.unref();
}
const program = fileURLToPath(new URL('../dist/cognition.cjs', import.meta.url));
const given = process.argv.slice(2);
// npm changes to the package's folder; the program is to see the folder in which it was called.
if (process.env.INIT_CWD !== undefined) process.chdir(process.env.INIT_CWD);
process.argv = [process.argv[0], program, ...(given.length === 0 ? ['chat'] : given)];
createRequire(import.meta.url)(program);

/** Whether a shell would find a command of that name; npm adds folders of its own to the path, in which it may not be. */
function isCommand() {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'cognition')));
}
