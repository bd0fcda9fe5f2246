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
    const options = 'set -o allexport; shopt -s extglob; export SHELLOPTS BASHOPTS';
    const { id, external } = await runAt(root, `${options}; ${set}; export KEPT=1`);
    expect(external.exit_code).toBe(0);
    const left = seen(await runAt(id, 'export -p; declare -F; echo $-; echo $KEPT'));
    expect(left).not.toContain('evil');
    expect(left).not.toMatch(/SHELLOPTS|BASHOPTS/);
    expect(left).toMatch(/\nhBc\n1\n$/);
  }));

test('functions, aliases and umask of a person reach later commands of the branch, and no others', () =>
  withSession(async ({ runAt, root, folder }) => {
    const first = await runAt(root, 'greet() { echo "hello $1"; }; alias ll="echo listed"; umask 027');
    const all = 'greet you; umask; ll a "b c"';
    expect(seen(await runAt(first.id, all))).toBe('hello you\n0027\nlisted a b c\n');
    // What goes to the two outputs comes in either order.
    const lines = (text: string): string[] => text.split('\n').sort();
    const other = lines(seen(await runAt(root, `${all}; true`)));
    const notFound = (name: string) => expect.stringMatching(`${name}: command not found$`);
    expect(other).toEqual(['', '0022', notFound('greet'), notFound('ll')]);
    // A single word is found among them as well, and a program that does nothing to them leaves them.
    const single = await runAt(first.id, 'greet');
    expect(seen(single)).toBe('hello \n');
    const program = await runAt(single.id, 'touch made');
    expect(seen(await runAt(program.id, 'stat -c %a made'))).toBe('640\n');
    const changed = await runAt(program.id, 'unset -f greet; unalias ll; umask 022; export -f later; later() { :; }');
    const left = seen(await runAt(changed.id, 'declare -F; alias; umask'));
    expect(left).toBe('declare -f later\n0022\n');
    expect(seen(await runAt(program.id, 'greet; umask', { cwd: folder }))).toBe('hello \n0027\n');
    expect(lines(seen(await runAt(program.id, `${all}; true`, { reset: true })))).toEqual(other);
  }));

test('functions and aliases of every form are read again as they were written', () =>
  withSession(async ({ runAt, root }) => {
    const attempts: readonly (readonly [string, string, string])[] = [
      ['f() { cat <<E\n}\n$1 \'"\nE\n}', 'f x', '}\nx \'"\n'],
      // Options of the shell are not carried on, but functions that were read with one are.
      ['shopt -s extglob; eval "f() { case \\$1 in @(a|b)) echo yes;; c) echo c;; esac; }"', 'f b; f c', 'c\n'],
      ['f() { echo out; }; export -f f', 'bash -c f', 'out\n'],
      ["alias q=\"echo 'it''s' é 数据\"", 'q', 'its é 数据\n'],
      ['alias shopt=false eval=false unset=false builtin=false set=false trap=false', 'true; cd /', '(no output)'],
      ['set() { :; }; trap() { :; }; unset() { :; }; shopt() { :; }; umask() { echo mine; }', 'umask', 'mine\n'],
      [
        "f() { printf '\\351' | od -An -tx1; }; g=$'\\351'; eval \"h() { printf %s '$g' | od -An -tx1; }\"",
        'f; h',
        ' e9\n e9\n',
      ],
    ];
    for (const [define, use, shown] of attempts) {
      const { id } = await runAt(root, `${define}\ncd /usr; export A=1`);
      const used = await runAt(id, use);
      expect([define, seen(used)]).toEqual([define, shown]);
      const after = await runAt(used.id, 'cd /bin/..; export B=2');
      expect([define, seen(await runAt(after.id, `${use}; echo "$A$B"`))]).toEqual([
        define,
        shown === '(no output)' ? '12\n' : `${shown}12\n`,
      ]);
    }
  }));

test('functions and a umask of a start file of their own are not taken for those of a command', () =>
  withSession(async ({ client, runAt, root, folder }) => {
    writeFileSync(join(folder, 'start'), 'own() { echo first; }; umask 077\n');
    const environment = { ...ENVIRONMENT, BASH_ENV: join(folder, 'start') };
    const opened = { cwd: folder, environment, umask: 0o022, policy: { kind: 'open' as const } };
    const { session } = await client.call('bash.open', opened);
    const first = await runAt(root, 'own; export A=1', { session });
    writeFileSync(join(folder, 'start'), 'own() { echo second; }; umask 027\n');
    const second = await runAt(first.id, 'own; umask; mine() { :; }', { session });
    expect([seen(first), seen(second)]).toEqual(['first\n', 'second\n0027\n']);
    // Whoever changes one takes all along.
    writeFileSync(join(folder, 'start'), 'own() { echo third; }\n');
    expect(seen(await runAt(second.id, 'own; declare -F; umask', { session }))).toBe(
      'second\ndeclare -f mine\ndeclare -f own\n0022\n',
    );
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
