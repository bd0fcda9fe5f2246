// Makes the declarations of the client library whole: what they name of packages that are bundled is copied beside them.
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import ts from 'typescript';

const NAMED = /((?:from|import\()\s*['"])([^'"]+)(?=['"])/g;
const COPIES = 'packages';

/** Copies into a folder of declarations those of each package that they name, and names the copies instead. */
export async function bundleDeclarations(folder, root) {
  const copied = new Set();
  for (const path of await declarationsIn(folder)) {
    const text = await readFile(path, 'utf8');
    const named = new Map();
    for (const [, , name] of text.matchAll(NAMED)) {
      if (name.startsWith('.') || name.startsWith('node:')) continue;
      named.set(name, join(folder, COPIES, await copyPackage(name, { folder, root, copied })));
    }
    if (named.size === 0) continue;
    const beside = text.replace(NAMED, (whole, before, name) => {
      const copy = named.get(name);
      return copy === undefined ? whole : `${before}${relativeTo(dirname(path), copy)}`;
    });
    await writeFile(path, beside);
  }
}

async function declarationsIn(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
  return files.filter((path) => !path.startsWith(join(folder, COPIES) + sep));
}

/** Copies what a package declares, file by file from the one that its name means; returns that one's place among the copies. */
async function copyPackage(name, { folder, root, copied }) {
  const options = { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext };
  const found = ts.resolveModuleName(
    name,
    join(root, 'main.mts'),
    options,
    ts.sys,
    undefined,
    undefined,
    ts.ModuleKind.ESNext,
  );
  const { resolvedModule } = found;
  if (resolvedModule === undefined) throw new Error(`there are no declarations of ${name}`);
  const modules = join(root, 'node_modules');
  const first = resolvedModule.resolvedFileName;
  for (const waiting = [first]; waiting.length > 0; ) {
    const path = waiting.pop();
    if (copied.has(path)) continue;
    copied.add(path);
    const copy = join(folder, COPIES, relative(modules, path));
    await mkdir(dirname(copy), { recursive: true });
    await cp(path, copy);
    for (const [, , other] of (await readFile(path, 'utf8')).matchAll(NAMED)) {
      if (other.startsWith('.')) waiting.push(join(dirname(path), other.replace(/\.([mc]?)js$/, '.d.$1ts')));
    }
  }
  return relative(modules, first);
}

function relativeTo(from, path) {
  const name = relative(from, path).replace(/\.d\.([mc]?)ts$/, '.$1js');
  return name.startsWith('.') ? name : `./${name}`;
}
