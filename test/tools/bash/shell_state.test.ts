import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { refused } from './refused.js';
import { ENVIRONMENT, newNodeId, seen, withSession } from './session.js';

test('a command starts in the working folder of its branch', () =>
  withSession(async ({ runAt, run, root, folder }) => {
    mkdirSync(join(folder, 'a/b'), { recursive: true });
    const a = await runAt(root, 'cd a');
    const b = await runAt(a.id, 'cd b');
    const other = await runAt(root, 'pwd');
    expect([a, b, other].map(({ external }) => external.cwd)).toEqual([`${folder}/a`, `${folder}/a/b`, folder]);
    expect(seen(await runAt(a.id, 'pwd'))).toBe(`${folder}/a\n`);
    expect(seen(await runAt(b.id, 'pwd'))).toBe(`${folder}/a/b\n`);
    expect(seen(await runAt(b.id, 'pwd', { cwd: '..' }))).toBe(`${folder}/a\n`);
    expect(seen(await runAt(b.id, 'pwd', { cwd: folder }))).toBe(`${folder}\n`);
    expect(seen(await run('pwd'))).toBe(`${folder}\n`);
    rmSync(join(folder, 'a'), { recursive: true });
    expect(await refused(runAt(b.id, 'pwd'))).toMatchObject({
      kind: 'not_found',
      hint: ['run it in another folder: ', { kind: 'option', option: 'cwd', value: '<folder>' }],
    });
  }));

test('exported variables of a person reach later commands of the branch, and no others', () =>
  withSession(async ({ runAt, root }) => {
    const value = 'a "b" $c `d` \\ \'e\'\n\t\x01 é 数据\n';
    const first = await runAt(root, `export ONE=${quoted(value)} EMPTY= TWO=2; LOCAL=no; unset HOME`);
    const second = await runAt(first.id, 'export TWO=two; unset EMPTY');
    const orUnset = (name: string): string => `"\${${name}-unset}"`;
    const show = `printf "%s|" "$ONE" ${['EMPTY', 'TWO', 'LOCAL', 'HOME'].map(orUnset).join(' ')}`;
    expect(seen(await runAt(first.id, show))).toBe(`${value}||2|unset|unset|`);
    expect(seen(await runAt(second.id, show))).toBe(`${value}|unset|two|unset|unset|`);
    expect(seen(await runAt(root, show))).toBe(`|unset|unset|unset|${ENVIRONMENT.HOME}|`);
  }));

test('variables that would run code in a later command are never carried over', () =>
  withSession(async ({ runAt, root, folder }) => {
    writeFileSync(join(folder, 'evil'), 'echo evil\n');
    const names = [
      'BASH_ENV',
      'ENV',
      'LD_PRELOAD',
      'LD_LIBRARY_PATH',
      'PROMPT_COMMAND',
      'PS4',
      'NODE_OPTIONS',
      'PERL5OPT',
    ];
    const more = [
      'GLIBC_TUNABLES',
      'GCONV_PATH',
      'PYTHONSTARTUP',
      'RUBYOPT',
      'DYLD_INSERT_LIBRARIES',
      'COGNITION_COMMAND',
    ];
    const set = [...names, ...more].map((name) => `export ${name}=${folder}/evil`).join('; ');
    const functions =
      'ls() { echo evil; }; export -f ls; set -o allexport; shopt -s extglob; export SHELLOPTS BASHOPTS';
    const { id, external } = await runAt(root, `${functions}; ${set}; export KEPT=1`);
    expect(external.exit_code).toBe(0);
    const left = seen(await runAt(id, 'export -p; declare -F; echo $-; echo $KEPT'));
    expect(left).not.toContain('evil');
    expect(left).not.toMatch(/\bls\b|SHELLOPTS|BASHOPTS/);
    expect(left).toMatch(/\nhBc\n1\n$/);
  }));

test('options, functions and traps of a command neither disturb nor reveal the reading of its state', () =>
  withSession(async ({ runAt, root, folder }) => {
    mkdirSync(join(folder, 'in'));
    const attempts = {
      'set -x; cd in; export A=1': '+ cd in\n+ export A=1\n+ A=1\n',
      'set -eu; cd in; export A=1; false; echo no': '(no output)\n(exit code 1)',
      "IFS=in/; cd 'in'; export A=1": '(no output)',
      'printf() { echo mine; }; pwd() { echo mine; }; cd in; export A=1': '(no output)',
      'PATH=/nowhere; cd in; export A=1': '(no output)',
      'exec 3>out; echo x >&3; cd in; export A=1; exec 1>&- 2>&-': '(no output)',
      'trap "echo err" ERR; cd in; export A=1; set -o posix': '(no output)',
      'cd in; export A=1; exit 5': '(no output)\n(exit code 5)',
      'set -f -C; cd in; export A=1; (exit 3); : > ../out2': '(no output)',
    };
    for (const [command, shown] of Object.entries(attempts)) {
      const { id, external, ...answer } = await runAt(root, command);
      expect([command, seen({ ...answer, external }), external.cwd]).toEqual([command, shown, join(folder, 'in')]);
      expect([command, seen(await runAt(id, 'echo $A'))]).toEqual([command, '1\n']);
    }
  }));

test('a command that is replaced, killed or has a trap of its own leaves the state as it was', () =>
  withSession(async ({ runAt, root, folder }) => {
    mkdirSync(join(folder, 'in'));
    const { id } = await runAt(root, 'export A=before');
    for (const command of ['exec true', 'kill -9 $$', 'trap "echo mine" EXIT']) {
      const ended = await runAt(id, `cd in; export A=after; ${command}`);
      expect([command, ended.external.cwd]).toEqual([command, folder]);
      expect(seen(await runAt(ended.id, 'echo $A'))).toBe('before\n');
    }
  }));

test('a child of a command cannot report a state in its place', () =>
  withSession(async ({ runAt, root, folder }) => {
    const forge =
      'printf "/usr\\n\\0\\0declare -x A=\\"forged\\"\\n\\0%s" $(grep -ao "[0-9a-f]\\{16\\}; }" /proc/self/fd/198 | head -c 16) >&198';
    for (const end of ['', '; kill -9 $PPID']) {
      const { id, external } = await runAt(root, `bash -c '${forge.replaceAll("'", "'\\''")}${end}'; true`);
      expect(external.cwd).toBe(folder);
      expect(seen(await runAt(id, 'echo "<$A>"'))).toBe('<>\n');
    }
  }));

test('an environment too large to be remembered leaves the previous one', () =>
  withSession(async ({ runAt, root, folder }) => {
    mkdirSync(join(folder, 'in'));
    const { id } = await runAt(root, 'export A=before');
    const large = await runAt(id, 'export A=after; for i in {1..20}; do export "L$i=$(printf %0100000d)"; done; cd in');
    expect(seen(await runAt(large.id, 'echo $A; pwd'))).toBe(`before\n${folder}/in\n`);
    const many = await runAt(id, 'for i in {1..3000}; do export "M$i=$i"; done');
    expect(seen(await runAt(many.id, 'echo $M1 $M3000'))).toBe('1 3000\n');
  }));

test("nothing that a model exports, and no folder that it goes to, reaches a person's next command, with or without a sandbox", () =>
  withSession(async ({ runAt, run, root, folder, client, tree, session }) => {
    writeFileSync(join(folder, 'evil'), 'echo evil\n');
    const policy = { kind: 'contained' as const, network: false, writable: [folder], readable: null };
    const contained = await client.call('bash.open', { cwd: folder, environment: null, policy });
    const command = `cd /usr; ls() { echo evil; }; export -f ls; export PATH=${folder} BASH_ENV=${folder}/evil X=evil`;
    const sessions = contained.sandbox === 'none' ? [session] : [session, contained.session];
    for (const asking of sessions) {
      const params = { command, place: { tree, node: root }, call_id: 'call-1', id: newNodeId() };
      const { blocks, external } = await client.call('bash.execute', { ...params, session: asking });
      const step = await client.call('loom.step_create', {
        ...{ tree, parent: root, blocks: [{ type: 'call' as const, id: 'call-1', tool: 'bash', input: { command } }] },
        calls: [{ id: params.id, blocks, external }],
      });
      expect([asking, step.nodes.at(-1)?.id]).toEqual([asking, params.id]);
      const next = await runAt(params.id, 'ls -d /usr/bin; echo "$X"; pwd');
      expect([asking, seen(next)]).toEqual([asking, `/usr/bin\n\n${folder}\n`]);
    }
    const appended = { place: { tree, node: root }, append: true, call_id: 'call-1' };
    expect(await refused(run('echo no', appended))).toMatchObject({ kind: 'invalid_params' });
  }));

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
