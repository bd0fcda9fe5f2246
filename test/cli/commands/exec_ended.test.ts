import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { Node } from '../../../hub/protocol/node.js';
import { type TestCli, withCli } from '../../support/cli.js';
import { connectTo, killHub } from '../../support/hub.js';
import { startProgram } from '../shell.js';

const Path = z.array(
  z.object({ external: z.object({ exit_code: z.number().nullable(), signal: z.string().nullable() }).optional() }),
);

function withTree(use: (cli: TestCli) => Promise<void>): Promise<void> {
  return withCli(async (cli) => {
    await cli.print('new', 'notes');
    await use(cli);
  });
}

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('%s ends the command, and one stands at its node, which says so', async (signal, code) => {
  await withTree(async (cli) => {
    const started = startProgram(cli, ['exec', '@', 'echo begun; sleep 60; echo not reached']);
    await started.printed('begun\n');
    started.child.kill(signal);
    expect(await started.ended).toEqual({ code, stdout: 'begun\n', stderr: '' });
    const path = Path.parse(await cli.json('context'));
    expect(path.at(-1)?.external?.signal ?? path.at(-1)?.external?.exit_code).toEqual(expect.stringMatching(/^SIG/));
    expect(await cli.print('show')).toMatch(/\[bash:echo begun; sleep 60; echo not reached\] .*● you are here/);
  });
});

test('a second signal leaves at once, whatever the command does', async () => {
  await withTree(async (cli) => {
    const started = startProgram(cli, ['exec', '@', 'trap "" INT TERM; echo begun; sleep 60']);
    await started.printed('begun\n');
    started.child.kill('SIGINT');
    started.child.kill('SIGINT');
    expect((await started.ended).code).toBe(130);
  });
});

test('a command that is left running goes on, and can be watched to its end', async () => {
  await withTree(async (cli) => {
    const command = 'echo first; while [ ! -e go ]; do sleep 0.05; done; echo last';
    const { code, stdout, stderr } = await cli.run(['exec', '@', command, '--detach']);
    const id = stdout.trim();
    expect({ code, stderr }).toEqual({
      ...{ code: 0, stderr: `It goes on; see it with: cognition output ${id.slice(0, 8)} --follow\n` },
    });
    const watching = startProgram(cli, ['output', id.slice(0, 8), '--follow']);
    await watching.printed('first\n');
    expect(await cli.run(['output', id])).toEqual({
      ...{ code: 0, stdout: 'first\n', stderr: `${id.slice(0, 8)} is still running; --follow goes on with it.\n` },
    });
    expect(await cli.json('output', id)).toMatchObject({ running: true, id, command, output_bytes: 6 });
    await cli.print('exec', '@', 'touch go');
    expect(await watching.ended).toEqual({ code: 0, stdout: 'first\nlast\n', stderr: '' });
    await nodeOf(cli, id);
    expect(await cli.print('output', id, '--follow')).toBe('first\nlast\n');
  });
});

test('with --json the id of a detached command is printed with its tree and parent', async () => {
  await withTree(async (cli) => {
    expect(await cli.json('exec', '@', 'true', '--detach', '--at', 'root')).toMatchObject({
      ...{ id: expect.any(String), tree: expect.any(String), parent: expect.any(String) },
    });
  });
});

test('when the tools die under a command, its node is there and says how it ended', async () => {
  await withTree(async (cli) => {
    const started = startProgram(cli, ['exec', '@', 'echo begun; touch began; sleep 60']);
    await started.printed('begun\n');
    const client = await connectTo(cli.home, { start: false });
    const { pid } = await client.call('tools.check', {});
    await client.close();
    process.kill(pid, 'SIGKILL');
    const { code, stdout } = await started.ended;
    expect({ stdout, isWell: code === 0 }).toEqual({ stdout: 'begun\n', isWell: false });
    expect(await cli.print('show')).toMatch(/\[bash:echo begun; touch began; sleep 60\] .*● you are here/);
  });
});

test('when the hub dies under a command, its node is there and says how it ended', async () => {
  await withTree(async (cli) => {
    const started = startProgram(cli, ['exec', '@', 'echo begun; echo x >> runs; sleep 60']);
    await started.printed('begun\n');
    await killHub(cli.home);
    const { stdout } = await started.ended;
    expect(stdout).toBe('begun\n');
    expect(readFileSync(join(cli.folder, 'runs'), 'utf8')).toBe('x\n');
    expect(await cli.print('show')).toMatch(/sleep 60\] .*● you are here/);
  });
});

/** The node of a command, as soon as it is there. */
async function nodeOf({ home }: TestCli, id: string): Promise<Node> {
  const client = await connectTo(home, { start: false });
  const enough = new AbortController();
  const seen = once(enough.signal, 'abort');
  const watching = client.watch({
    since: 0,
    onEvent: (event) => {
      if (JSON.stringify(event).includes(id)) enough.abort();
    },
    signal: enough.signal,
  });
  await seen;
  await watching;
  const { nodes } = await client.call('loom.context_get_path', { node: Node.parse((await find(client, id)).node).id });
  await client.close();
  return Node.parse(nodes.at(-1));
}

async function find(client: Awaited<ReturnType<typeof connectTo>>, id: string) {
  const tree = (await client.call('loom.tree_find', { ref: 'notes' })).matches[0];
  if (tree === undefined) throw new Error('there is no tree');
  const match = (await client.call('loom.node_find', { tree: tree.id, ref: id })).matches[0];
  if (match === undefined) throw new Error('there is no node');
  return client.call('loom.node_get', { node: match.id });
}
