import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { homePaths } from '../../../hub/config/config.js';
import { connectTo, HUB_ENTRY, withHome } from '../../support/hub.js';
import { toolsOf, until } from './processes.js';
import { newNodeId, seen, withSession } from './session.js';

const CLIENT = fileURLToPath(new URL('../../../dist/client.js', import.meta.url));

test('open files of the shell that started the hub are not open in a command, in a sandbox or not', () =>
  withHome(async (home) => {
    const script = `const { connect } = await import(${JSON.stringify(CLIENT)});
      const client = await connect({ home: ${JSON.stringify(home)}, hubEntry: ${JSON.stringify(HUB_ENTRY)} });
      await client.call('tools.check', {});
      await client.close();`;
    const shell = 'exec 77</etc/passwd; exec "$0" --input-type=module -e "$1"';
    execFileSync('bash', ['-c', shell, process.execPath, script]);
    const client = await connectTo(home, { start: false });
    const { sandbox } = await client.call('tools.check', {});
    const contained = { kind: 'contained' as const, network: false, writable: [home], readable: null };
    for (const policy of [{ kind: 'open' as const }, ...(sandbox.kind === 'none' ? [] : [contained])]) {
      const { session } = await client.call('bash.open', { cwd: '/usr', environment: null, policy });
      const answer = await client.call('bash.execute', { session, command: 'ls /proc/self/fd' });
      expect([policy.kind, seen(answer)]).toEqual([policy.kind, '0\n1\n2\n3\n']);
    }
    await client.close();
  }));

test('a command also runs when the folder for private files has been cleared', () =>
  withSession(async ({ run, home }) => {
    expect(seen(await run('echo before'))).toBe('before\n');
    rmSync(join(home, 'tmp'), { recursive: true });
    for (const word of ['one', 'two']) expect(seen(await run(`echo ${word}`))).toBe(`${word}\n`);
  }));

test('tools that are still ending remove nothing of their successors', () =>
  withSession(async ({ client, runAt, root, home, folder, kill }) => {
    const stubborn = 'trap "" TERM INT; touch begun; while :; do sleep 0.05; done';
    runAt(root, stubborn).catch(() => undefined);
    await until(() => existsSync(join(folder, 'begun')));
    const old = toolsOf(home);
    process.kill(old, 'SIGSTOP');
    await kill();
    const { session } = await client.call('bash.open', { cwd: '/', environment: null, policy: { kind: 'open' } });
    const run = async (command: string) => seen(await client.call('bash.execute', { session, command }));
    expect(await run('echo beside')).toBe('beside\n');
    process.kill(old, 'SIGCONT');
    await until(() => !existsSync(`/proc/${old}`));
    expect(readdirSync(join(home, 'tmp'))).toHaveLength(1);
    expect(await run('echo after')).toBe('after\n');
    await until(() => readdirSync(homePaths(home).commands).length === 0);
  }));

test('the state of a branch is the same for the tools that ran its commands and for their successors', () =>
  withSession(async ({ client, runAt, root, home, folder, tree }) => {
    const first = await runAt(root, 'mkdir a; cd a; export ONE=1');
    const program = await runAt(first.id, 'ls');
    const second = await runAt(program.id, 'cd ..; pwd; echo $ONE');
    expect(seen(second)).toBe(`${folder}\n1\n`);
    const other = await runAt(first.id, 'pwd; echo $ONE');
    expect(seen(other)).toBe(`${folder}/a\n1\n`);
    process.kill(toolsOf(home), 'SIGKILL');
    await until(() =>
      client.call('tools.check', {}).then(
        () => true,
        () => false,
      ),
    );
    const { session } = await client.call('bash.open', { cwd: '/', environment: null, policy: { kind: 'open' } });
    const at = (node: typeof root) => ({ session, id: newNodeId(), place: { tree, node }, append: true });
    const later = await client.call('bash.execute', { ...at(other.id), command: 'pwd; echo "<$ONE>"' });
    expect(seen(later)).toBe(`${folder}/a\n<>\n`);
  }));
