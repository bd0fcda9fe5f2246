import { mkdirSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { refused } from './refused.js';
import { ENVIRONMENT, newNodeId, seen, withSession } from './session.js';

test('a command reports its exit code, or the signal that ended it', () =>
  withSession(async ({ run }) => {
    expect(await run('exit 3')).toMatchObject({ external: { exit_code: 3, signal: null } });
    expect(await run('no-such-program')).toMatchObject({ external: { exit_code: 127 } });
    expect(await run('touch x; ./x')).toMatchObject({ external: { exit_code: 126 } });
    const killed = await run('kill -KILL $$');
    expect(killed).toMatchObject({ external: { exit_code: null, signal: 'SIGKILL' } });
    expect(seen(killed)).toBe('(no output)\n(ended by SIGKILL)');
    expect(seen(await run('echo hi; false'))).toBe('hi\n(exit code 1)');
    expect(await run('true')).toMatchObject({ blocks: [{ text: '(no output)' }], external: { output: null } });
  }));

test('the output of a command is stored byte for byte', () =>
  withSession(async ({ run, stored }) => {
    const bytes = Buffer.from([...Array(256).keys()]);
    const escaped = [...bytes].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
    const answer = await run(`printf '${escaped}'; printf 'a\\r\\nb'`);
    expect(await stored(answer)).toEqual(Buffer.concat([bytes, Buffer.from('a\r\nb')]));
    expect(seen(answer)).toMatch(
      /^\(binary output, 260 bytes; a person reads it with: cognition output [0-9a-f]{8}\)$/,
    );
    const broken = await run("printf 'text \\xff and \\xe2\\x82 more\\n'");
    expect(await stored(broken)).toEqual(Buffer.from('text \xff and \xe2\x82 more\n', 'latin1'));
    expect(seen(broken)).toBe('text \uFFFD and \uFFFD more\n');
  }));

test('a command has no terminal and nothing to read', () =>
  withSession(async ({ run }) => {
    expect(seen(await run('cat; read x || echo none; test -t 0 || test -t 1 || echo plain'))).toBe('none\nplain\n');
    expect(seen(await run('cat /dev/tty'))).toContain('/dev/tty');
  }));

test('/dev/stdout and /dev/stderr can be written to', () =>
  withSession(async ({ tell }) => {
    const { events } = await tell('echo x > /dev/stderr; echo y > /dev/stdout; echo z | tee /dev/stderr >/dev/null');
    const told = events.flatMap((event) => (event.kind === 'output' ? [event] : []));
    const of = (from: string) => told.filter((event) => event.from === from).map(({ data }) => text(data));
    expect(of('stderr').join('')).toBe('x\nz\n');
    expect(of('stdout').join('')).toBe('y\n');
  }));

test('output arrives while the command runs, in the order in which it was printed', () =>
  withSession(async ({ client, session, folder, run }) => {
    const events: string[] = [];
    const command = 'exec 5< go; for i in 1 2 3; do echo out $i; read <&5; echo err $i >&2; read <&5; done';
    await run('mkfifo go');
    const go = await open(join(folder, 'go'), 'r+');
    const { external } = await client.stream(
      'bash.execute',
      { session, command },
      {
        async onEvent(event) {
          if (event.kind !== 'output') return;
          events.push(`${event.from}@${event.offset}: ${text(event.data)}`);
          // The command goes on only when this piece of it has arrived here.
          await go.write('\n');
        },
      },
    );
    await go.close();
    expect(events).toEqual([
      ...['stdout@0: out 1\n', 'stderr@6: err 1\n', 'stdout@12: out 2\n'],
      ...['stderr@18: err 2\n', 'stdout@24: out 3\n', 'stderr@30: err 3\n'],
    ]);
    expect(external.handle.metadata).toMatchObject({ stdout_bytes: 18, stderr_bytes: 18 });
  }));

test('a long command runs like a short one', () =>
  withSession(async ({ run, runAt, root, stored }) => {
    const filler = `: ${'x'.repeat(1_000)}\n`.repeat(1_000);
    const answer = await run(`${filler}echo "$0 $#"; set | grep -c ^COGNITION_TEXT; exit 7`);
    expect(answer.external).toMatchObject({ exit_code: 7 });
    expect(String(await stored(answer))).toBe('bash 0\n0\n');
    const end = '\necho "it\'s fine"';
    const largest = `: ${'y'.repeat(4_194_304 - 2 - end.length)}${end}`;
    expect(seen(await runAt(root, largest))).toBe("it's fine\n");
  }));

test('messages of the shell name the lines of the command', () =>
  withSession(async ({ run }) => {
    expect(seen(await run('echo $LINENO\n\necho $LINENO; echo "$BASH_EXECUTION_STRING" | head -1'))).toBe(
      '1\n3\necho $LINENO\n',
    );
    expect(seen(await run('echo a\nif'))).toBe(
      'a\nbash: -c: line 3: syntax error: unexpected end of file\n(exit code 2)',
    );
  }));

test('a node records its command, and how its output was stored', () =>
  withSession(async ({ runAt, root, tree, session, folder, client }) => {
    const { id, node, blocks, external, branched } = await runAt(root, 'echo kept; exit 2');
    expect(branched).toBe(false);
    expect(external).toMatchObject({
      call: { tool: 'bash', input: { command: 'echo kept; exit 2' }, id: null },
      handle: {
        ...{ source: 'bash', source_version: '1.0.0', identifier: `${session}/cmd-${id}` },
        metadata: { command: 'echo kept; exit 2', exit_code: 2, stdout_bytes: 5, stderr_bytes: 0, sandbox: 'none' },
      },
      ...{ exit_code: 2, signal: null, cwd: folder, output: { size_bytes: 5, total_bytes: 5 } },
    });
    expect(node).toMatchObject({ id, tree, parent: root, kind: 'external', blocks, external });
    expect((await client.call('loom.node_get', { node: id })).node).toEqual(node);
  }));

test('the same id runs once, also for concurrent calls', () =>
  withSession(async ({ runAt, root, run, client, session, tree }) => {
    const id = newNodeId();
    const command = 'echo run >> times; sleep 0.1; wc -l < times';
    const place = { tree, node: root };
    const call = () => client.call('bash.execute', { id, session, command, place, append: true });
    const [first, second] = await Promise.all([call(), call()]);
    expect(second).toEqual(first);
    const { id: _, ...again } = await runAt(root, command, { id });
    expect(again).toEqual({ ...first, branched: false });
    expect(seen(await run('cat times'))).toBe('run\n');
    expect(await refused(runAt(root, 'echo another', { id }))).toMatchObject({ kind: 'conflict' });
  }));

test('a command that cannot be run is refused with a line that says why', () =>
  withSession(async ({ run, runAt, folder, client }) => {
    writeFileSync(join(folder, 'file'), '');
    expect(await refused(run('true', { cwd: '/nowhere/at/all' }))).toMatchObject({
      ...{ kind: 'not_found', message: 'the folder "/nowhere/at/all" is not there (any more)' },
    });
    expect(await refused(run('true', { cwd: 'file' }))).toMatchObject({ kind: 'invalid_params' });
    expect(await refused(run('true \0'))).toMatchObject({ kind: 'invalid_params' });
    expect(await refused(client.call('bash.execute', { session: 'session-00000000', command: 'true' }))).toMatchObject({
      kind: 'not_found',
    });
    expect(await refused(runAt(newNodeId(), 'true'))).toMatchObject({ kind: 'not_found' });
    expect(await refused(run(`: '${'\x01'.repeat(2_000_000)}'`))).toMatchObject({ kind: 'limit' });
    const large = { ...ENVIRONMENT, LARGE: 'x'.repeat(200_000) };
    const opened = await client.call('bash.open', { cwd: folder, environment: large, policy: { kind: 'open' } });
    const tooLarge = client.call('bash.execute', { session: opened.session, command: 'true' });
    expect(await refused(tooLarge)).toMatchObject({ kind: 'limit' });
    expect(seen(await run('echo still here'))).toBe('still here\n');
  }));

test('commands run in folders of any name', () =>
  withSession(async ({ runAt, root, folder }) => {
    const name = join(folder, ' -n\nname "of" $x 数据\t\\ ');
    mkdirSync(name);
    const first = await runAt(root, "cd -- *$'\\n'*");
    expect(first.external).toMatchObject({ exit_code: 0, cwd: name });
    expect(seen(await runAt(first.id, 'pwd'))).toBe(`${name}\n`);
  }));

test('commands above the limit of concurrent ones are refused', () =>
  withSession(async ({ client, session, run }) => {
    await run('mkfifo go');
    const waiting = Array.from({ length: 64 }, () => run('read < go'));
    expect(await refused(run('true'))).toMatchObject({ kind: 'limit', retryable: true });
    await client.call('bash.close', { session });
    const signals = (await Promise.all(waiting)).map(({ external }) => external.signal);
    expect(new Set(signals)).toEqual(new Set(['SIGTERM']));
  }));

function text(data: string): string {
  return Buffer.from(data, 'base64').toString();
}
