// Writes the declarations of the client library to dist/types. Usage: node .dev/types.mjs
import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import ts from 'typescript';
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
    compileTo(part);
    await bundleDeclarations(part, ROOT);
    if (existsSync(TYPES)) await rename(TYPES, `${part}.old`);
    await rename(part, TYPES);
  } finally {
    for (const folder of [part, `${part}.old`]) await rm(folder, { recursive: true, force: true });
    writeFileSync(TRIED, '');
    utimesSync(TRIED, began, began);
  }
}

/** Compiles in this process: a compiler of its own would go on writing after this one is killed. */
function compileTo(folder) {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: refuse };
  const config = join(ROOT, '.dev', 'tsconfig.types.json');
  const { fileNames, options, errors } = ts.getParsedCommandLineOfConfigFile(config, { outDir: folder }, host);
  const program = ts.createProgram(fileNames, options);
  const found = [...errors, ...ts.getPreEmitDiagnostics(program)];
  if (found.length > 0) refuse(...found);
  program.emit();
}

function refuse(...diagnostics) {
  const names = { getCurrentDirectory: () => ROOT, getCanonicalFileName: (name) => name, getNewLine: () => '\n' };
  console.error(ts.formatDiagnostics(diagnostics, names));
  throw new Error('the declarations of the client library could not be written');
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
