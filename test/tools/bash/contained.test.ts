import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { Policy } from '../../../hub/protocol/policy.js';
import { processesWith, until } from './processes.js';
import { refused } from './refused.js';
import { newNodeId, seen, type TestSession, withSession } from './session.js';

interface ContainedSession extends TestSession {
  inside: string;
  sandbox: string;
  /** Runs a command in the sandbox. */
  runInside(command: string, options?: Parameters<TestSession['run']>[1]): ReturnType<TestSession['run']>;
}

const withContained = (use: (session: ContainedSession) => Promise<void>) =>
  withSession(async (session) => {
    const { client, folder } = session;
    const policy: Policy = { kind: 'contained', network: false, writable: [folder], readable: null };
    const environment = { ...process.env, SECRET: 'canary', PATH: process.env.PATH ?? '' };
    const opened = await client.call('bash.open', { cwd: folder, environment, policy });
    await use({
      ...session,
      ...{ inside: opened.session, sandbox: opened.sandbox },
      runInside: (command, options = {}) =>
        client.call('bash.execute', { session: opened.session, command, call_id: 'call-1', ...options }),
    });
  });

test('without a working sandbox a contained command is not run, and the hint says what to do', () =>
  withContained(async ({ runInside, sandbox, folder }) => {
    if (sandbox !== 'none') return;
    expect(await refused(runInside('touch ran'))).toMatchObject({ kind: 'approval_needed' });
    expect(existsSync(join(folder, 'ran'))).toBe(false);
  }));

test("a contained command gets next to nothing of a person's environment", () =>
  withContained(async ({ runInside, sandbox }) => {
    if (sandbox === 'none') return;
    const { external, ...answer } = await runInside('env | cut -d= -f1 | grep -v OLDPWD | sort | xargs');
    expect(external).toMatchObject({ exit_code: 0, handle: { metadata: { sandbox, network: false } } });
    expect(seen({ ...answer, external })).toBe(
      'ASAN_OPTIONS COGNITION_COMMAND DEBIAN_FRONTEND GIT_EDITOR GIT_PAGER GIT_TERMINAL_PROMPT HOME LANG LOGNAME MANPAGER NO_COLOR ' +
        'PAGER PATH PWD SHELL SHLVL TERM TMPDIR USER _\n',
    );
    expect(seen(await runInside('echo "$0 $LINENO $PAGER $TERM"; foo'))).toMatch(
      /^bash 1 cat dumb\nbash: .*foo: command not found/,
    );
  }));

test('a contained command reports its folder, its exit code and its background processes', () =>
  withContained(async ({ runInside, sandbox, folder }) => {
    if (sandbox === 'none') return;
    mkdirSync(join(folder, 'in'));
    const { external } = await runInside('cd in; sleep 1000 & sleep 1000 & exit 4');
    expect(external).toMatchObject({
      exit_code: 4,
      cwd: join(folder, 'in'),
      handle: { metadata: { background_ended: 2 } },
    });
    expect(processesWith(folder)).toEqual([]);
    expect((await runInside('mkdir /tmp/x; cd /tmp/x')).external.cwd).toBe(folder);
    expect((await runInside('cd /usr')).external.cwd).toBe('/usr');
    expect(seen(await runInside('cat /tmp/kept; pwd; ls -d /tmp/x', { cwd: '/usr/lib' }))).toContain(
      '/usr/lib\n/tmp/x\n',
    );
    expect(await refused(runInside('true', { cwd: dirname(folder) }))).toMatchObject({ kind: 'invalid_params' });
  }));

test('a contained command begins in the folder of its session when the other became a link in a circle', () =>
  withContained(async ({ runInside, sandbox, folder }) => {
    if (sandbox === 'none') return;
    symlinkSync('circle', join(folder, 'circle'));
    expect(seen(await runInside('pwd', { cwd: join(folder, 'circle') }))).toBe(`${folder}\n`);
  }));

test('a contained command of a megabyte runs, and its messages do not show how', () =>
  withContained(async ({ runInside, sandbox }) => {
    if (sandbox === 'none') return;
    expect(seen(await runInside(`${': xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n'.repeat(25_000)}echo "$0 done"`))).toBe(
      'bash done\n',
    );
  }));

test('a contained command that takes too long, or is cancelled, leaves no process', () =>
  withContained(async ({ runInside, sandbox, client, folder }) => {
    if (sandbox === 'none') return;
    const tree =
      'env -i setsid -f sleep 1234.5; setsid sleep 1000 & (trap "" TERM INT; sleep 1000) & echo on; sleep 1000';
    const late = await runInside(tree, { timeout_ms: 500 });
    expect(seen(late)).toBe('on\n(timed out after 500 ms)');
    expect(processesWith('1234.5')).toEqual([]);
    const id = newNodeId();
    const answer = runInside(`touch there; ${tree}`, { id });
    await until(() => existsSync(join(folder, 'there')));
    await client.call('bash.cancel', { id });
    expect(seen(await answer)).toContain('(cancelled)');
    expect([...processesWith('1234.5'), ...processesWith(folder)]).toEqual([]);
  }));

test('the private folder of a session goes with it', () =>
  withContained(async ({ client, runInside, inside, home, sandbox }) => {
    const folders = () =>
      readdirSync(join(home, 'tmp'))
        .flatMap((tools) => readdirSync(join(home, 'tmp', tools)))
        .filter((name) => name.startsWith('session-'));
    expect(folders()).toEqual([inside]);
    if (sandbox !== 'none') await runInside('echo x > /tmp/file');
    await client.call('bash.close', { session: inside });
    expect(folders()).toEqual([]);
  }));

test('a fork bomb is contained: it ends, with words, and the machine goes on', { timeout: 120_000 }, () =>
  withContained(async ({ runInside, sandbox, folder }) => {
    if (sandbox === 'none') return;
    // Its children sleep: one that multiplies as fast as it can would take the machine from whoever works beside.
    const forever = "perl -e 'for (;;) { my $p = fork; sleep 1000 if defined $p && $p == 0 }'";
    const bomb = await runInside(forever, { timeout_ms: 100_000 });
    expect(bomb.external.handle.metadata).toMatchObject({ reason: 'reached its limit of 4000 processes and threads' });
    expect(processesWith(folder)).toEqual([]);
    expect(seen(await runInside('echo on'))).toBe('on\n');
  }),
);

test('the kernel takes a contained command first when memory is short, and counts its processes', () =>
  withContained(async ({ runInside, sandbox }) => {
    if (sandbox === 'none') return;
    expect(seen(await runInside('cat /proc/self/oom_score_adj; ulimit -Hu'))).toBe('1000\n4096\n');
  }));
