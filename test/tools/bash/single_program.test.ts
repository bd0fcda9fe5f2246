import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isOneProgram } from '../../../tools/bash/single_program.js';
import { ENVIRONMENT, newNodeId, seen, withSession } from './session.js';

test('one program with plain arguments is told apart from everything that a shell does itself', () => {
  const programs = ['sleep 5', '  ls -d /usr "a b" \'$x\nend\' ', './run', '/bin/ls', 'env A=b x', 'git log --a=b,c'];
  const others = [
    'cd a',
    'A=1 sleep 5',
    'time ls',
    'exec ls',
    '. ./x',
    'ls | cat',
    'ls; ls',
    'ls &',
    'ls $(x)',
    'ls\n',
  ];
  const more = [
    '',
    ' ',
    '# x',
    'ls "$x"',
    'ls "`x`"',
    "ls 'x",
    'ls "x',
    'ls > x',
    '"ls"',
    'if true',
    '[ -e x ]',
    '! ls',
    'x(){ :; }',
  ];
  expect(programs.filter((command) => !isOneProgram(command, {}))).toEqual([]);
  expect([...others, ...more].filter((command) => isOneProgram(command, {}))).toEqual([]);
  expect(isOneProgram('hello you', { 'BASH_FUNC_hello%%': '() { cd /; }' })).toBe(false);
});

test('every builtin and keyword of bash is known to be no program', () => {
  const known = spawnSync('bash', ['-c', 'compgen -bk'], { encoding: 'utf8' }).stdout.trim().split('\n');
  expect(known.length).toBeGreaterThan(60);
  expect(known.filter((word) => isOneProgram(`${word} x`, {}))).toEqual([]);
});

test('a program that a signal ends is reported as bash itself would report it', () =>
  withSession(async ({ run, folder }) => {
    for (const command of [
      "sh -c 'kill -9 $$'",
      "sh -c 'kill -TERM $$'",
      "sh -c 'exit 130'",
      'no-such-program',
      './',
    ]) {
      const bare = spawnSync('bash', ['-c', command], { cwd: folder, env: ENVIRONMENT, encoding: 'utf8' });
      const { external, ...answer } = await run(command);
      expect([command, external.exit_code, external.signal]).toEqual([command, bare.status, bare.signal]);
      expect([command, seen({ ...answer, external })]).toEqual([command, expect.stringContaining(bare.stderr)]);
    }
    expect(seen(await run("sh -c 'kill -9 $$'"))).toBe('(no output)\n(ended by SIGKILL)');
  }));

test("a program leaves its branch's folder and variables as they were, and holds nothing open of the shell's", () =>
  withSession(async ({ runAt, root, folder }) => {
    mkdirSync(join(folder, 'in'));
    const { id } = await runAt(root, 'cd in; export A=1');
    const program = await runAt(id, 'ls /proc/self/fd');
    expect(seen(program)).toBe('0\n1\n2\n3\n');
    expect(program.external.cwd).toBe(join(folder, 'in'));
    expect(seen(await runAt(program.id, 'echo $A; pwd'))).toBe(`1\n${join(folder, 'in')}\n`);
  }));

test("a person's own function runs although it is called like a program", () =>
  withSession(async ({ client, tree, root, folder }) => {
    mkdirSync(join(folder, 'in'));
    const environment = { ...ENVIRONMENT, 'BASH_FUNC_go%%': '() { cd "$1"; }' };
    const { session } = await client.call('bash.open', { cwd: folder, environment, policy: { kind: 'open' } });
    const params = { id: newNodeId(), session, command: 'go in', place: { tree, node: root }, append: true };
    expect((await client.call('bash.execute', params)).external.cwd).toBe(join(folder, 'in'));
  }));
