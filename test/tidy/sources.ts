import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('../..', import.meta.url));
const FOREIGN = new Set(['node_modules', 'dist', '.git']);

/** A file of the repository, by its path from the top. */
export interface TextFile {
  path: string;
  text: string;
}

export interface SourceFile extends TextFile {
  syntax: ts.SourceFile;
}

/** Every file that belongs to the repository. */
export function repositoryFiles(): TextFile[] {
  return readdirSync(root, { withFileTypes: true, recursive: false })
    .filter(({ name }) => !FOREIGN.has(name))
    .flatMap((entry) => (entry.isDirectory() ? filesBelow(join(root, entry.name)) : [join(root, entry.name)]))
    .map((path) => ({ path: relative(root, path), text: readFileSync(path, 'utf8') }));
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** The TypeScript and JavaScript among them, parsed. */
export function parsed(files: TextFile[]): SourceFile[] {
  return files
    .filter(({ path }) => /\.(tsx?|mjs)$/.test(path))
    .map((file) => ({ ...file, syntax: ts.createSourceFile(file.path, file.text, ts.ScriptTarget.Latest, true) }));
}

/** Every node of a file's syntax for which `find` has something to say, as `path:line what it says`. */
export function findings(files: SourceFile[], find: (node: ts.Node, file: SourceFile) => string | null): string[] {
  return files.flatMap((file) => {
    const found: string[] = [];
    const visit = (node: ts.Node): void => {
      const finding = find(node, file);
      if (finding !== null) found.push(`${file.path}:${lineOf(file, node)} ${finding}`);
      ts.forEachChild(node, visit);
    };
    visit(file.syntax);
    return found;
  });
}

/** Every line that matches, as `path:line what was found`. */
export function lines(files: TextFile[], pattern: RegExp): string[] {
  return files.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => {
      const match = pattern.exec(line);
      return match === null ? [] : [`${path}:${index + 1} ${match[0].trim()}`];
    }),
  );
}

/** Where a node begins, counted from 1. */
function lineOf(file: SourceFile, node: ts.Node): number {
  return file.syntax.getLineAndCharacterOfPosition(node.getStart()).line + 1;
}

/** The lines that a node stands on, with the two before: where its reason is written. */
export function withReason(file: SourceFile, node: ts.Node): string {
  const first = Math.max(0, lineOf(file, node) - 3);
  const last = file.syntax.getLineAndCharacterOfPosition(node.getEnd()).line + 1;
  return file.text.split('\n').slice(first, last).join('\n');
}
