// npm start: from a fresh clone to the running program. Arguments after -- are the program's.
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { ensure } from './ensure.mjs';

ensure();
const program = fileURLToPath(new URL('../dist/cognition.cjs', import.meta.url));
const given = process.argv.slice(2);
// npm changes to the package's folder; the program is to see the folder in which it was called.
if (process.env.INIT_CWD !== undefined) process.chdir(process.env.INIT_CWD);
process.argv = [process.argv[0], program, ...(given.length === 0 ? ['chat'] : given)];
createRequire(import.meta.url)(program);
