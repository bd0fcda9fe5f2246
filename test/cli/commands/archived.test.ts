import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type TestCli, withCli } from '../../support/cli.js';
import { nodesOf } from '../../support/shown.js';

const Skeleton = z.object({
  nodes: z.array(z.object({ id: z.string(), role: z.string(), step: z.object({ id: z.string() }).nullable() })),
});

/** Two branches below `one`; the person stands in `three`, which is archived then. */
async function archivedPosition({ print, json }: TestCli): Promise<Record<string, string>> {
  await print('new', 'notes');
  await print('add', '@', 'one');
  await print('add', '@', 'two');
  const { one = '' } = await nodesOf(json);
  await print('add', '@', 'three', '--at', one);
  const ids = await nodesOf(json);
  await print('delete', '@', ids.three ?? '');
  return ids;
}

test('a position in an archived branch is reported, and no other node replaces it', async () => {
  await withCli(async (cli) => {
    const { three = '' } = await archivedPosition(cli);
    const note = `You stand at ${three.slice(0, 8)}, in an archived branch. See it with --all.\n`;
    expect(await cli.run(['show'])).toEqual({ code: 0, stdout: '(root)\n User: one\n User: two\n', stderr: note });
    expect(await cli.json('show')).toMatchObject({ position: three });
    expect((await cli.run(['show', '--at', three])).stderr).toBe(note);
    expect(await cli.print('show', '--all')).toContain('User: three (archived)          ● you are here\n');
  });
});

test('from an archived branch the branches of the nearest node above are listed', async () => {
  await withCli(async (cli) => {
    const { two, three = '' } = await archivedPosition(cli);
    expect(await cli.json('branches')).toMatchObject([{ id: two, current: false }]);
    expect((await cli.run(['branches'])).stderr).toBe(
      `You stand at ${three.slice(0, 8)}, in an archived branch. See it with --all.\n`,
    );
    expect(await cli.json('branches', '--all')).toMatchObject([
      { id: three, current: true },
      { id: two, current: false },
    ]);
  });
});

test('restoring a branch that another archived branch hides prints a note', async () => {
  await withCli(async (cli) => {
    const { one = '', two = '' } = await archivedPosition(cli);
    await cli.print('delete', '@', two);
    await cli.print('delete', '@', one);
    expect(await cli.run(['restore', '@', two])).toMatchObject({
      stdout: `Restored the branch at ${two.slice(0, 8)}.\n`,
      stderr: expect.stringMatching(`^It stays hidden .* cognition restore [0-9a-f]{8} ${one.slice(0, 8)}\n$`),
    });
    expect((await cli.run(['restore', '@', one])).stderr).toBe('');
  });
});

test('a name that an archived and another conversation share means the archived one for restore', async () => {
  await withCli(async ({ run, print }) => {
    const archived = (await print('new', 'notes')).trim();
    await print('delete', 'notes');
    await print('new', 'notes');
    expect(await run(['restore', 'notes', '--json'])).toMatchObject({
      stdout: expect.stringContaining(`"id":"${archived}","name":"notes (2)"`),
      stderr: 'The name "notes" has been taken meanwhile; it is now called "notes (2)".\n',
    });
    expect(await run(['restore', 'notes'])).toEqual({ code: 0, stdout: '', stderr: 'notes is not archived.\n' });
  });
});

test('a branch is restored in the conversation that has the name now', async () => {
  await withCli(async ({ print, json }) => {
    await print('new', 'notes');
    await print('delete', 'notes');
    await print('new', 'notes');
    await print('add', '@', 'one');
    const { one = '' } = await nodesOf(json);
    await print('delete', 'notes', one);
    expect(await print('restore', 'notes', one)).toBe(`Restored the branch at ${one.slice(0, 8)}.\n`);
  });
});

test('a name that an archived and another conversation share is not purged', async () => {
  await withCli(async ({ run, print, json }) => {
    await print('new', 'notes');
    await print('delete', 'notes');
    await print('new', 'notes');
    expect(await run(['purge', 'notes', '--yes'])).toMatchObject({
      ...{ code: 3, stderr: expect.stringContaining('"notes" means 2 trees:\n') },
    });
    expect(await json('list')).toHaveLength(1);
  });
});

test('@ is the position wherever a command takes a node', async () => {
  await withCli(async ({ print, json }) => {
    await print('new', 'notes');
    await print('add', '@', 'one');
    await print('add', '@', 'two');
    const { two } = await nodesOf(json);
    await print('add', '@', 'else', '--at', 'root');
    await print('add', '@', 'three', '--at', two ?? '');
    const { three } = await nodesOf(json);
    expect(await json('leaves', '@', '--under', '@')).toMatchObject([{ node: { id: three } }]);
    expect(await print('delete', '@', '@')).toContain(`Archived the branch at ${three?.slice(0, 8)}.`);
    expect(await print('restore', '@', '@')).toBe(`Restored the branch at ${three?.slice(0, 8)}.\n`);
  });
});

test('in an archived branch or conversation a command is refused before it runs, also a detached one', async () => {
  await withCli(async (cli) => {
    const { run, print, folder } = cli;
    await archivedPosition(cli);
    const refused = async (...flags: string[]) => {
      const ran = await run(['exec', '@', 'touch ran', ...flags]);
      expect(ran).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('cognition restore') });
      expect(existsSync(join(folder, 'ran'))).toBe(false);
    };
    await refused();
    await refused('--detach');
    await print('restore', '@', '@');
    await print('delete', '@');
    const tree = Object.keys(JSON.parse(readFileSync(join(cli.home, 'session.json'), 'utf8')).trees)[0] ?? '';
    await print('use', tree);
    await refused();
    await refused('--detach');
    expect(await run(['spawn', '-t', 'x', '-m', 'demo', '--parent-session', '@'])).toMatchObject({
      code: 1,
      stdout: '',
    });
    await print('restore', tree);
    await print('exec', '@', 'touch ran');
    expect(existsSync(join(folder, 'ran'))).toBe(true);
  });
});

test('what runs where a conversation is archived is told of, and ends there', async () => {
  await withCli(async ({ run, print, json, folder }) => {
    await print('new', 'notes');
    await print('add', '@', 'one');
    const { one = '' } = await nodesOf(json);
    const waiting = `while [ ! -e go ]; do sleep 0.01; done; echo done`;
    const id = (await print('exec', '@', waiting, '--detach')).trim();
    await print('exec', '@', waiting, '--at', 'root', '--detach');
    expect((await run(['delete', 'notes', one])).stderr).toContain('Still running there: 1 command.');
    expect((await run(['delete', 'notes'])).stderr).toContain('Still running there: 2 commands.');
    writeFileSync(join(folder, 'go'), '');
    expect(await print('output', id, '--follow')).toBe('done\n');
    expect((await run(['delete', 'notes'])).stderr).not.toContain('Still running');
  });
});

test('the result of a call is archived with its whole step, and it is said what went with it', async () => {
  await withCli(async ({ run, print, json }) => {
    await print('new', 'notes');
    await print('ask', '@', 'list the files', '-m', 'demo');
    const { nodes } = Skeleton.parse(await json('show', '@'));
    const call = nodes.find(({ role }) => role === 'tool');
    const top = call?.step?.id.slice(0, 8);
    expect(await run(['delete', '@', call?.id ?? ''])).toMatchObject({
      stdout: expect.stringContaining(`Archived the branch at ${top}.`),
      stderr: expect.stringContaining('Its step went with it: the answer that called it'),
    });
    expect(await print('show', '@')).not.toContain(top);
    expect(await print('restore', '@', call?.id ?? '')).toBe(`Restored the branch at ${top}.\n`);
  });
});
