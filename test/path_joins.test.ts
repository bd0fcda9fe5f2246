import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { PATH_JOINS } from './tidy/path_joins.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const PROGRAM = /^(cli|hub|loom|tools)\//;

/**
 * What is added to a folder is a literal, a number, hexadecimal digits that were just made, or an id: a branded type, which only
 * its schema makes. Any other string is counted in the table, by file and with the reason why it leads nowhere else.
 */
test('only literals and parsed ids are joined to a folder, or the table says why', () => {
  const found: Record<string, number> = {};
  for (const { file } of joinsOf(programOf(sourceFiles()))) found[file] = (found[file] ?? 0) + 1;
  const tooMany = Object.entries(found).filter(([file, joins]) => joins > (PATH_JOINS[file]?.joins ?? 0));
  expect(tooMany).toEqual([]);
  // A file that joins nothing of the kind any more leaves the table.
  expect(Object.keys(PATH_JOINS).filter((file) => found[file] === undefined)).toEqual([]);
});

test('a string from outside that is joined to a folder is found, a parsed id is not', () => {
  const text = `import { join } from 'node:path';
    import type { BashSessionId } from '${root}hub/protocol/methods/tool_methods.js';
    export const closed = (session: string) => join('/home', session);
    export const hidden = (session: string) => join('/home', 'tmp', \`session-\${session}\`);
    export const parsed = (session: BashSessionId) => join('/home', session, \`\${session}.json\`, 'out');
    export const counted = (made: number) => join('/home', String(made));`;
  const file = `${root}cli/zz_joins.ts`;
  const host = ts.createCompilerHost(options());
  const { getSourceFile, fileExists, readFile } = host;
  host.getSourceFile = (name, ...rest) =>
    name === file ? ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true) : getSourceFile(name, ...rest);
  host.fileExists = (name) => name === file || fileExists(name);
  host.readFile = (name) => (name === file ? text : readFile(name));
  const found = joinsOf(ts.createProgram([file], options(), host)).filter((one) => one.file === 'cli/zz_joins.ts');
  expect(found.map(({ argument }) => argument)).toHaveLength(2);
  expect(found[0]?.argument).toBe('session');
});

function options(): ts.CompilerOptions {
  const config = ts.readConfigFile(`${root}tsconfig.json`, (path) => readFileSync(path, 'utf8'));
  return ts.parseJsonConfigFileContent(config.config, ts.sys, root).options;
}

function sourceFiles(): string[] {
  return ts.sys.readDirectory(root, ['.ts'], ['node_modules', 'dist'], ['cli', 'hub', 'loom', 'tools']);
}

const programOf = (files: string[]): ts.Program => ts.createProgram(files, options());

interface Join {
  file: string;
  argument: string;
}

/** The arguments of `join` and `resolve` after the first that may be any string. */
function joinsOf(program: ts.Program): Join[] {
  const checker = program.getTypeChecker();
  const found: Join[] = [];
  for (const source of program.getSourceFiles()) {
    const file = relative(root, source.fileName);
    if (!PROGRAM.test(file)) continue;
    const visit = (node: ts.Node): void => {
      if (ts.isCallExpression(node) && isPathCall(checker, node)) {
        const open = node.arguments.slice(1).filter((argument) => !isSafe(checker, argument));
        found.push(...open.map((argument) => ({ file, argument: argument.getText() })));
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return found;
}

function isPathCall(checker: ts.TypeChecker, { expression }: ts.CallExpression): boolean {
  const name = ts.isPropertyAccessExpression(expression) ? expression.name : expression;
  let symbol = checker.getSymbolAtLocation(name);
  if (symbol !== undefined && (symbol.flags & ts.SymbolFlags.Alias) !== 0) symbol = checker.getAliasedSymbol(symbol);
  const from = symbol?.declarations?.[0]?.getSourceFile().fileName ?? '';
  return /^(join|resolve)$/.test(symbol?.name ?? '') && /@types\/node\/path/.test(from);
}

function isSafe(checker: ts.TypeChecker, argument: ts.Expression): boolean {
  if (ts.isStringLiteralLike(argument)) return true;
  if (ts.isTemplateExpression(argument)) {
    return argument.templateSpans.every(({ expression }) => isSafe(checker, expression));
  }
  if (/\.(digest|toString)\('hex'\)$|^String\(|^randomUUID\(\)$/.test(argument.getText())) return true;
  return isSafeType(checker.getTypeAtLocation(argument));
}

function isSafeType(type: ts.Type): boolean {
  if (type.isUnion()) return type.types.every(isSafeType);
  if ((type.flags & (ts.TypeFlags.StringLiteral | ts.TypeFlags.NumberLike)) !== 0) return true;
  return (
    type.isIntersection() && type.types.some((part) => part.getProperties().some(({ name }) => /brand/i.test(name)))
  );
}
