// Writes the declarations of the client library to dist/types. Usage: node .dev/types.mjs
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundleDeclarations } from './declarations.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const DIST = join(ROOT, 'dist');
const TYPES = join(DIST, 'types');
/** Changed when they were tried, with success or not: see typesState. */
const TRIED = join(DIST, '.types');
/** Folders in the making and on their way out, with the process that has them. */
const PART = /^types\.(\d+)/;

/** Makes the declarations apart and exchanges them whole: who reads them meanwhile finds the former ones. */
export async function writeTypes() {
  const part = join(DIST, `types.${process.pid}`);
  const began = new Date();
  await removeParts();
  try {
    const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    const given = [tsc, '-p', join(ROOT, '.dev', 'tsconfig.types.json'), '--outDir', part];
    const { status } = spawnSync(process.execPath, given, { stdio: 'inherit' });
    if (status !== 0) throw new Error('the declarations of the client library could not be written');
    await bundleDeclarations(part, ROOT);
    if (existsSync(TYPES)) await rename(TYPES, `${part}.old`);
    await rename(part, TYPES);
  } finally {
    for (const folder of [part, `${part}.old`]) await rm(folder, { recursive: true, force: true });
    writeFileSync(TRIED, '');
    utimesSync(TRIED, began, began);
  }
}

/** Removes what processes that were killed have left. */
async function removeParts() {
  for (const name of existsSync(DIST) ? readdirSync(DIST) : []) {
    const [, pid] = PART.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid))) await rm(join(DIST, name), { recursive: true, force: true });
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await writeTypes();
