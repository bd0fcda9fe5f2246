import ts from 'typescript';
import { expect, test } from 'vitest';
import { CATCHES } from './tidy/catches.js';
import { OPENERS, STARTERS } from './tidy/openers.js';
import { findings, lines, parsed, repositoryFiles, type SourceFile, withReason } from './tidy/sources.js';

const FILE_LINES_MAX = 300;
const FUNCTION_LINES_MAX = 60;
const PARAMETERS_MAX = 3;
const OPTIONAL_FIELDS_MAX = 4;

/** Files that may assert a type, each assertion with its reason beside it. */
const MAY_ASSERT_TYPES = [
  'loom/write/commit.ts',
  'hub/agent/providers/transport/routed_fetch.ts',
  'hub/routing/hub.ts',
  'hub/client/client.ts',
  'hub/plugins/remote_plugins.ts',
  'tools/start/serve_plugins.ts',
  'tools/start/once_per_id.ts',
  'loom/store/store.ts',
  'hub/base/sqlite/node_sqlite.ts',
  'hub/protocol/errors.ts',
  'hub/protocol/method.ts',
  'hub/protocol/page_schema.ts',
];
// The threads of the storage choose their library before anything configures them.
const MAY_READ_ENVIRONMENT = ['hub/config/config.ts', 'hub/base/sqlite/sqlite_library.ts'];
const MAY_READ_ARGUMENTS = ['hub/config/config.ts', 'cli/command_line/args.ts'];

const files = repositoryFiles();
const sources = parsed(files);
const program = sources.filter(({ path }) => /^(cli|hub|loom|tools)\//.test(path));
const tests = sources.filter(({ path }) => path.startsWith('test/'));
const outside = (list: SourceFile[], allowed: string[]) => list.filter(({ path }) => !allowed.includes(path));

test('no file is longer than 300 lines', () => {
  const long = sources.filter(({ text }) => text.trimEnd().split('\n').length > FILE_LINES_MAX);
  expect(long.map(({ path }) => path)).toEqual([]);
});

test('no function has more than 60 lines of code', () => {
  const found = findings(sources, (node) => {
    if (!ts.isFunctionLike(node) || isSuite(node)) return null;
    const code = node
      .getText()
      .split('\n')
      .filter((line) => /^\s*(?!\/[/*]|\*)\S/.test(line));
    return code.length > FUNCTION_LINES_MAX ? `${code.length} lines` : null;
  });
  expect(found).toEqual([]);
});

function isSuite(node: ts.Node): boolean {
  return ts.isCallExpression(node.parent) && node.parent.expression.getText().startsWith('describe');
}

test('no function takes more than 3 parameters', () => {
  const found = findings(program, (node) =>
    ts.isFunctionLike(node) && node.parameters.length > PARAMETERS_MAX && !hasRest(node)
      ? node.getText().slice(0, 60)
      : null,
  );
  expect(found).toEqual([]);
});

function hasRest(node: ts.SignatureDeclaration): boolean {
  return node.parameters.some(({ dotDotDotToken }) => dotDotDotToken !== undefined);
}

test('a file is named for what it holds', () => {
  const dumping = /(^|[/_.-])(utils?|helpers?|common|misc|shared|managers?|services?|index)\.[a-z]+$/;
  expect(files.map(({ path }) => path).filter((path) => dumping.test(path))).toEqual([]);
});

test('nothing is left to do later', () => {
  const others = sources.filter(({ path }) => path !== 'test/tidy.test.ts');
  expect(lines(others, /\b(TODO|FIXME|XXX|HACK|TEMPORARY)\b/)).toEqual([]);
});

test('comments are not banners and do not repeat the next line', () => {
  expect(
    lines(sources, /^\s*\/\/\s*([-=*#~]{3,}|(Get|Set|Initialize|Create|Loop|Iterate|Import|Define)s? the\b).*/),
  ).toEqual([]);
});

test('types are asserted only where nothing else can know them, with the reason', () => {
  const asserted = (node: ts.Node) => ts.isAsExpression(node) && node.type.getText() !== 'const';
  expect(findings(outside(program, MAY_ASSERT_TYPES), (node) => (asserted(node) ? node.getText() : null))).toEqual([]);
  const unexplained = findings(program, (node, file) =>
    asserted(node) && !withReason(file, node).includes('//') ? node.getText() : null,
  );
  expect(unexplained).toEqual([]);
});

test('the compiler is never silenced', () => {
  expect(lines(program, /@ts-(ignore|expect-error|nocheck)|as unknown as/)).toEqual([]);
});

test('errors are caught only where somebody can act on them', () => {
  const found: Record<string, number> = {};
  findings(program, (node, { path }) => {
    if (ts.isCatchClause(node)) found[path] = (found[path] ?? 0) + 1;
    return null;
  });
  expect(found).toEqual(CATCHES);
});

test('the hub opens nothing of a project, and what starts a program is known', () => {
  const importing = (module: RegExp, below: RegExp) =>
    program.filter(({ path, text }) => below.test(path) && module.test(text)).map(({ path }) => path);
  expect(importing(/from 'node:fs(\/promises)?'/, /^hub\//).sort()).toEqual(Object.keys(OPENERS).sort());
  expect(importing(/from 'node:child_process'/, /./).sort()).toEqual(Object.keys(STARTERS).sort());
});

test('a catch that keeps nothing of the error says why', () => {
  const found = findings(sources, (node, file) =>
    ts.isCatchClause(node) && node.variableDeclaration === undefined && !/\/\/|\/\*/.test(withReason(file, node))
      ? node.getText().slice(0, 80)
      : null,
  );
  expect(found).toEqual([]);
});

test('an error that replaces another carries it as its cause', () => {
  const found = findings(program, (node) => {
    if (!ts.isNewExpression(node) || !/Error$/.test(node.expression.getText())) return null;
    const name = caughtName(node);
    return name !== null && !/\bcause\b/.test(node.getText()) ? node.getText().slice(0, 80) : null;
  });
  expect(found).toEqual([]);
});

/** The name of the error that the nearest catch around a node holds. */
function caughtName(node: ts.Node): string | null {
  for (let at = node.parent; at !== undefined && !ts.isSourceFile(at); at = at.parent) {
    if (ts.isFunctionLike(at)) return null;
    if (ts.isCatchClause(at)) return at.variableDeclaration?.name.getText() ?? null;
  }
  return null;
}

// A file may name a shape of its own as it likes; what files share has one name and one place.
test('no shape that files share is written twice', () => {
  const places = new Map<string, string[]>();
  findings(program, (node, { path }) => {
    if (!ts.isInterfaceDeclaration(node) && !ts.isTypeAliasDeclaration(node)) return null;
    const isShared = node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
    if (isShared) places.set(node.name.text, [...(places.get(node.name.text) ?? []), path]);
    return null;
  });
  expect([...places].filter(([, paths]) => paths.length > 1)).toEqual([]);
});

test('an interface with many optional fields is a union in disguise', () => {
  // The options of the library's one entry point are optional by nature.
  const others = outside(program, ['hub/client/client.ts']);
  const found = findings(others, (node) => {
    if (!ts.isInterfaceDeclaration(node) && !ts.isTypeLiteralNode(node)) return null;
    const optional = node.members.filter(({ questionToken }) => questionToken !== undefined).length;
    return optional > OPTIONAL_FIELDS_MAX ? `${optional} optional fields` : null;
  });
  expect(found).toEqual([]);
});

test('classes are errors, or text that stands for a value', () => {
  const found = findings(program, (node) => (ts.isClassDeclaration(node) ? (node.name?.text ?? 'unnamed') : null));
  expect(found.map((line) => line.replace(/:\d+/, ''))).toEqual([
    'hub/base/error.ts HubError',
    'hub/base/plugin.ts RawJson',
  ]);
});

test('a promise is let go of by the one function that names who handles its failure', () => {
  // `() => void set.delete(item)` drops a boolean or a length: a collection's own methods return no promise.
  const ofCollection = /\.(add|delete|push|set|unshift)$/;
  const found = findings(program, (node) =>
    ts.isVoidExpression(node) &&
    ts.isCallExpression(node.expression) &&
    !ofCollection.test(node.expression.expression.getText())
      ? node.getText()
      : null,
  );
  expect(found).toEqual([]);
});

test('nothing is exported from a file that did not make it', () => {
  const found = findings(sources, (node) =>
    ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined ? node.getText() : null,
  );
  expect(found).toEqual([]);
});

test('the environment and the arguments are read in one place', () => {
  expect(lines(outside(program, MAY_READ_ENVIRONMENT), /process\.env\b/)).toEqual([]);
  expect(lines(outside(program, MAY_READ_ARGUMENTS), /process\.argv\b/)).toEqual([]);
});

test('tests replace no module and keep no snapshots', () => {
  expect(files.map(({ path }) => path).filter((path) => /\.snap$|__snapshots__/.test(path))).toEqual([]);
  const others = tests.filter(({ path }) => path !== 'test/tidy.test.ts');
  expect(lines(others, /\b(vi\.(mock|fn|spyOn|stub\w+)|mock\.(method|fn|module)|toMatch(File)?Snapshot)\b/)).toEqual(
    [],
  );
});

test('test titles are sentences', () => {
  const found = findings(tests, (node) => {
    if (!ts.isCallExpression(node) || !/^(test|it)(\.\w+)*(\(.*\))?$/s.test(node.expression.getText())) return null;
    const [title] = node.arguments;
    if (title === undefined || !ts.isStringLiteralLike(title) || title.text.includes('%')) return null;
    const isSentence = title.text.trim().split(/\s+/).length >= 3 && !/^(should|test that)\b/i.test(title.text);
    return isSentence ? null : title.text;
  });
  expect(found).toEqual([]);
});

test('the repository names no machine, and the lock file no registry', () => {
  const others = files.filter(({ path }) => path !== 'test/tidy.test.ts');
  expect(lines(others, /(\/root|\/home\/[a-z]+|\/Users\/[a-z]+|\/work)\/[\w.-]+/)).toEqual([]);
  const lock = files.filter(({ path }) => path === 'package-lock.json');
  expect(
    lines(
      lock,
      /"resolved"|https?:\/\/(?!(\w+\.)*(github|opencollective|paypal|patreon|tidelift|eslint|jb|buymeacoffee|feross|ko-fi)\.)[^"]*(npm|registry)[^"]*/,
    ),
  ).toEqual([]);
});
