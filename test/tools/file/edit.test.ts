import { createHash } from 'node:crypto';
import { chmod, readdir, readFile, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type FileTools, factsOf, OPEN, refused, textOf, withFileTools } from './tool_calls.js';

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');
const edit = ({ client }: FileTools, path: string, [old_text, new_text]: [string, string]) =>
  client.call('file.edit', { path, old_text, new_text, policy: OPEN });

test('a text that occurs once is replaced, and nothing else', () =>
  withFileTools(async (tools) => {
    const path = await tools.put('code.ts', 'const a = 1;\nconst b = 2;\nconst c = 3;\n');
    await chmod(path, 0o640);
    const answer = await edit(tools, path, ['const b = 2;', 'const b = 20;\nconst d = 4;']);
    expect(textOf(answer)).toBe(
      `[edited ${path}: 1 → 2 lines at line 2]\n-const b = 2;\n+const b = 20;\n+const d = 4;`,
    );
    const after = 'const a = 1;\nconst b = 20;\nconst d = 4;\nconst c = 3;\n';
    expect(await readFile(path, 'utf8')).toBe(after);
    expect((await stat(path)).mode & 0o777).toBe(0o640);
    expect(factsOf(answer)).toMatchObject({ sha256: sha256(after), before: { size_bytes: 39 }, line: 2 });
  }));

test('a text that occurs more than once is refused with its lines', () =>
  withFileTools(async (tools) => {
    const path = await tools.put('twice.txt', 'x\nsame\ny\nsame\naaa\n');
    expect(await refused(edit(tools, path, ['same', 'other']))).toMatchObject({
      kind: 'conflict',
      message: `the old text stands 2 times in ${path}: in line 2, 4`,
    });
    expect((await refused(edit(tools, path, ['aa', 'b']))).message).toContain('stands 2 times');
  }));

test('a text that does not occur is refused with the lines most like it', () =>
  withFileTools(async (tools) => {
    const path = await tools.put('near.ts', 'import x;\n\nfunction add(a, b) {\n\treturn a + b;\n}\n');
    expect(await refused(edit(tools, path, ['function add(a, b) {\n  return a + b;\n}', '']))).toMatchObject({
      kind: 'not_found',
      message: `the old text does not stand in ${path}; it differs in blanks only; nearest lines:\n3: function add(a, b) {\n4: \treturn a + b;\n5: }`,
    });
    expect((await refused(edit(tools, path, ['functoin add(a,b)', '']))).message).toContain('3: function add(a, b) {');
    expect(await refused(edit(tools, path, ['完全不同', '']))).toMatchObject({
      hint: 'nothing in it is like that text: read the file again',
    });
  }));

test.each([
  ['CRLF', Buffer.from('a\r\nb\r\nc\r\n'), Buffer.from('a\r\nx\r\ny\r\nc\r\n')],
  ['LF', Buffer.from('a\nb\nc\n'), Buffer.from('a\nx\ny\nc\n')],
  ['a mark', Buffer.from('\uFEFFa\nb\nc\n'), Buffer.from('\uFEFFa\nx\ny\nc\n')],
  ['UTF-16', Buffer.from('\uFEFFa\r\nb\r\nc\r\n', 'utf16le'), Buffer.from('\uFEFFa\r\nx\r\ny\r\nc\r\n', 'utf16le')],
  [
    'UTF-16 big-endian',
    Buffer.from('\uFEFFa\nb\nc\n', 'utf16le').swap16(),
    Buffer.from('\uFEFFa\nx\ny\nc\n', 'utf16le').swap16(),
  ],
  [
    'bytes of no known encoding',
    Buffer.from('a\nb\nc\n\xe9\xff\n', 'latin1'),
    Buffer.from('a\nx\ny\nc\n\xe9\xff\n', 'latin1'),
  ],
])('a file with %s stays so', (_, before, after) =>
  withFileTools(async (tools) => {
    const path = await tools.put('kept.txt', before);
    await edit(tools, path, ['a\nb\n', 'a\nx\ny\n']);
    expect(await readFile(path)).toEqual(after);
  }),
);

test('in a file with mixed line ends each line keeps its own', () =>
  withFileTools(async (tools) => {
    const path = await tools.put('mixed.txt', 'a\r\nb\r\nc\nd\n');
    await edit(tools, path, ['a\nb', 'a\nB']);
    await edit(tools, path, ['c\nd', 'c\nD']);
    expect(await readFile(path, 'utf8')).toBe('a\r\nB\r\nc\nD\n');
  }));

test('concurrent edits of one file are all kept', () =>
  withFileTools(async (tools) => {
    const path = await tools.put('many.txt', Array.from({ length: 30 }, (_, index) => `<${index}>\n`).join(''));
    await Promise.all(Array.from({ length: 30 }, (_, index) => edit(tools, path, [`<${index}>`, `(${index})`])));
    expect(await readFile(path, 'utf8')).toBe(Array.from({ length: 30 }, (_, index) => `(${index})\n`).join(''));
  }));

test('concurrent edits of one file by several of its paths are all kept', () =>
  withFileTools(async (tools) => {
    const path = await tools.put('many.txt', Array.from({ length: 30 }, (_, index) => `<${index}>\n`).join(''));
    await symlink(tools.folder, join(tools.folder, 'folder'));
    await symlink('many.txt', join(tools.folder, 'link'));
    const paths = [
      path,
      join(tools.folder, 'link'),
      join(tools.folder, 'folder/link'),
      `${tools.folder}/./folder/many.txt`,
    ];
    const made = Array.from({ length: 30 }, (_, index) =>
      edit(tools, paths[index % paths.length] ?? path, [`<${index}>`, `(${index})`]),
    );
    await Promise.all(made);
    expect(await readFile(path, 'utf8')).toBe(Array.from({ length: 30 }, (_, index) => `(${index})\n`).join(''));
  }));

test('of two opposite concurrent edits each is made or refused, and the file is whole', () =>
  withFileTools(async (tools) => {
    const path = await tools.put('turn.txt', `${'x'.repeat(100_000)}left`);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        edit(tools, path, index % 2 === 0 ? ['left', 'right'] : ['right', 'left']),
      ),
    );
    const made = outcomes.filter(({ status }) => status === 'fulfilled').length;
    expect(await readFile(path, 'utf8')).toBe(`${'x'.repeat(100_000)}${made % 2 === 0 ? 'left' : 'right'}`);
    expect(await readdir(tools.folder)).toEqual(['turn.txt']);
  }));

test('an edit of a missing file, one without a change and one of too large a file are refused', () =>
  withFileTools(async (tools) => {
    const path = await tools.put('a.txt', 'a');
    const large = await tools.put('large.txt', Buffer.alloc(17_000_000, 'x'));
    expect((await refused(edit(tools, join(tools.folder, 'none'), ['a', 'b']))).kind).toBe('not_found');
    expect((await refused(edit(tools, path, ['a', 'a']))).kind).toBe('invalid_params');
    expect((await refused(edit(tools, large, ['a', 'b']))).kind).toBe('limit');
    expect((await readdir(tools.folder)).sort()).toEqual(['a.txt', 'large.txt']);
  }));

test('searching a file of 16 MB that is made to be slow ends', () =>
  withFileTools(async (tools) => {
    const path = await tools.put('slow.txt', `${'a'.repeat(99)}\n`.repeat(160_000));
    const text = `b${'a'.repeat(98)}\n`.repeat(100);
    expect((await refused(edit(tools, path, [text, 'x']))).kind).toBe('not_found');
  }));
