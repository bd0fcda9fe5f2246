import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { folderGraph } from '../.dev/folder_graph.js';
import { findings, parsed, repositoryFiles } from './tidy/sources.js';

const FOLDER_FILES_MAX = 20;
const ONE_FILE_PER_COMMAND = ['cli/commands', 'cli/repl/commands'];
const SAME_NAME_FOLDERS_MAX = 3;
const REPEATED_NAMES_MAX = 40;
const GLOSSARY_WORDS_MAX = 40;
const FILES_PER_CHANGE_MAX = 4;
const CHANGES = 12;
/** Nouns that end as participles do. */
const NOUNS = [
  'batching',
  'drawing',
  'encoding',
  'feed',
  'nesting',
  'ranking',
  'ring',
  'routing',
  'spending',
  'string',
  'thinking',
];

const root = fileURLToPath(new URL('..', import.meta.url));
const sources = parsed(repositoryFiles());
const program = sources.filter(({ path }) => /^(cli|hub|loom|tools)\//.test(path));
const architecture = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
const changing = readFileSync(join(root, 'docs/changing.md'), 'utf8');

test('a folder has no more files than one can look over', () => {
  const large = folderGraph(root).filter(
    ({ files, path }) => files > FOLDER_FILES_MAX && !ONE_FILE_PER_COMMAND.includes(path),
  );
  expect(large.map(({ path, files }) => `${path}: ${files}`)).toEqual([]);
});

test('a file name stands in few folders, and most stand in one', () => {
  const folders = new Map<string, string[]>();
  for (const { path } of program) {
    const name = basename(path);
    folders.set(name, [...(folders.get(name) ?? []), dirname(path)]);
  }
  const repeated = [...folders].filter(([, where]) => where.length > 1);
  expect(repeated.filter(([, where]) => where.length > SAME_NAME_FOLDERS_MAX)).toEqual([]);
  expect(repeated.length).toBeLessThanOrEqual(REPEATED_NAMES_MAX);
});

test('a file is named by a noun or by what it does, not by a participle', () => {
  const words = (path: string): string[] => basename(path).replace(/\..*$/, '').split('_');
  const last = (path: string): string => words(path).at(-1) ?? '';
  const participle = (path: string): boolean => /(ing|[^e]ed)$/.test(last(path)) && !NOUNS.includes(last(path));
  expect(program.map(({ path }) => path).filter(participle)).toEqual([]);
});

test('the glossary is short, and nothing is named by a word that it retires', () => {
  const rows = tableRows(architecture, '## Glossary');
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.length).toBeLessThanOrEqual(GLOSSARY_WORDS_MAX);
  const retired = new Set(
    rows
      .flatMap(([, , instead = '']) => instead.split(/[,·]/).map((word) => word.trim()))
      .filter((word) => word !== ''),
  );
  const found = findings(sources, (node) => {
    // The key of a record over values of the protocol is as the protocol writes it.
    if (!ts.isIdentifier(node) || ts.isPropertyAssignment(node.parent)) return null;
    const word = node.text
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .split(/[ _]/)
      .find((part) => retired.has(part));
    return word === undefined ? null : node.text;
  });
  expect(found).toEqual([]);
});

test('the page on architecture names the folders that exist', () => {
  const named = tableRows(architecture, '## The folders').map(([cell = '']) => cell.replace(/^`|\/`$/g, ''));
  expect(named.sort()).toEqual(folderGraph(root).map(({ path }) => path));
});

test('the page on changes names few files for each, and all of them exist', () => {
  const [, ...sections] = changing.split(/^## \d+\. /m);
  expect(sections).toHaveLength(CHANGES);
  for (const section of sections) {
    const [title = ''] = section.split('\n');
    const files = new Set(
      [...section.matchAll(/`((?:hub|cli|loom|tools|docs)\/[\w/]+\.(?:ts|md))`/g)].map(([, path = '']) => path),
    );
    expect({ title, missing: [...files].filter((path) => !existsSync(join(root, path))) }).toEqual({
      title,
      missing: [],
    });
    expect({ title, few: files.size > 0 && files.size <= FILES_PER_CHANGE_MAX }).toEqual({ title, few: true });
  }
});

/** The cells of the first table below a heading. */
function tableRows(page: string, heading: string): string[][] {
  const [, below = ''] = page.split(`${heading}\n`);
  const [section = ''] = below.split(/^## /m);
  return section
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\|[-| ]+\|$/.test(line))
    .slice(1)
    .map((line) =>
      line
        .slice(1, -1)
        .split(' | ')
        .map((cell) => cell.trim()),
    );
}
