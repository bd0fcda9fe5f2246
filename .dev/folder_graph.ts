import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import ts from 'typescript';

const PARTS = ['hub', 'cli', 'loom', 'tools'];

/** One folder of the program; `imports` are the folders that it imports by value. */
export interface Folder {
  path: string;
  files: number;
  lines: number;
  imports: Set<string>;
}

/** The folders of a program below `root`, sorted by path. */
export function folderGraph(root: string): Folder[] {
  const sources = PARTS.flatMap((part) => sourcesBelow(join(root, part))).map((path) => relative(root, path));
  const known = new Set(sources);
  const folders = new Map<string, Folder>();
  for (const path of sources.sort()) {
    const folder = dirname(path);
    const entry = folders.get(folder) ?? { path: folder, files: 0, lines: 0, imports: new Set<string>() };
    folders.set(folder, entry);
    const text = readFileSync(join(root, path), 'utf8');
    entry.files += 1;
    entry.lines += text.split('\n').length - 1;
    for (const imported of importsByValue(path, text)) {
      if (known.has(imported) && dirname(imported) !== folder) entry.imports.add(dirname(imported));
    }
  }
  return [...folders.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Groups of folders that need each other, by whatever way. */
export function folderCycles(folders: readonly Folder[]): string[] {
  const byPath = new Map(folders.map((folder) => [folder.path, folder]));
  const reach = new Map(folders.map(({ path }) => [path, reachableFrom(path, byPath)]));
  const groups = new Set<string>();
  for (const { path } of folders) {
    const group = [...(reach.get(path) ?? [])].filter((other) => reach.get(other)?.has(path));
    if (group.length > 0) groups.add(group.sort().join(' '));
  }
  return [...groups];
}

function reachableFrom(start: string, byPath: ReadonlyMap<string, Folder>): Set<string> {
  const seen = new Set<string>();
  const waiting = [...(byPath.get(start)?.imports ?? [])];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    waiting.push(...(byPath.get(next)?.imports ?? []));
  }
  return seen;
}

function sourcesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

function importsByValue(path: string, text: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
      if (isByValue(node.importClause)) found.push(node.moduleSpecifier.text);
    }
    // What is imported when it is wanted is needed all the same.
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [imported] = node.arguments;
      if (imported !== undefined && ts.isStringLiteral(imported)) found.push(imported.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest));
  return found
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => normalize(join(dirname(path), specifier)).replace(/\.js(x?)$/, '.ts$1'));
}

function isByValue(clause: ts.ImportClause | undefined): boolean {
  if (clause === undefined) return true;
  if (clause.isTypeOnly) return false;
  const { name, namedBindings } = clause;
  if (name !== undefined || namedBindings === undefined || !ts.isNamedImports(namedBindings)) return true;
  return namedBindings.elements.length === 0 || namedBindings.elements.some(({ isTypeOnly }) => !isTypeOnly);
}
