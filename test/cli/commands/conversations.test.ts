import { realpathSync } from 'node:fs';
import { expect, test } from 'vitest';
import { withCli } from '../../support/cli.js';
import { connectTo } from '../../support/hub.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

test('new prints the id, makes the tree current and says how to continue', async () => {
  await withCli(async ({ run, json, folder }) => {
    const { stdout, stderr, code } = await run(['new', 'notes']);
    const id = stdout.trim();
    expect(id).toMatch(UUID);
    expect({ stderr, code }).toEqual({ stderr: `Continue with: cognition chat ${id.slice(0, 8)}\n`, code: 0 });
    expect(await json('list')).toMatchObject([{ id, name: 'notes', project: realpathSync(folder) }]);
  });
});

test('list shows the newest activity first and marks the current tree', async () => {
  await withCli(async ({ print }) => {
    const first = (await print('new', 'first')).slice(0, 8);
    const second = (await print('new', 'second')).slice(0, 8);
    await print('add', 'first', 'hello');
    expect(await print('list')).toBe(
      `  ${first}  first   1 message   1 branch  just now\n* ${second}  second  0 messages  1 branch  just now\n`,
    );
  });
});

test('a tree is found by @, its id, its name and a prefix, and a near miss is suggested', async () => {
  await withCli(async ({ print, json, run }) => {
    const id = (await print('new', 'parser rewrite')).trim();
    for (const reference of ['@', id, 'parser rewrite', id.slice(0, 4)]) {
      expect(await json('show', reference)).toMatchObject({ tree: { id } });
    }
    expect(await run(['show', 'parser rewrit'])).toMatchObject({
      code: 3,
      stderr: 'cognition: no tree "parser rewrit"\nhint: did you mean "parser rewrite"?\n',
    });
    expect((await run(['show', id.slice(0, 3)])).code).toBe(3);
  });
});

test('use selects a tree, and show and add do not', async () => {
  await withCli(async ({ print, json, run }) => {
    const first = (await print('new', 'first')).trim();
    const second = (await print('new', 'second')).trim();
    await print('show', 'first');
    await print('add', 'first', 'hello');
    expect(await json('show')).toMatchObject({ tree: { id: second } });
    expect(await run(['use', 'first'])).toMatchObject({
      stdout: `${first}\n`,
      stderr: `Continue with: cognition chat ${first.slice(0, 8)}\n`,
    });
    expect(await json('show')).toMatchObject({ tree: { id: first } });
  });
});

test('without a current tree a hint says what to do', async () => {
  await withCli(async ({ run }) => {
    expect(await run(['show'])).toEqual({
      code: 3,
      stdout: '',
      stderr: 'cognition: there is no current tree\nhint: run: cognition new, or cognition use <tree>\n',
    });
  });
});

test('a name is taken once, and rename changes or removes it', async () => {
  await withCli(async ({ print, run, json }) => {
    await print('new', 'notes');
    expect(await run(['new', 'notes'])).toMatchObject({ code: 1, stdout: '' });
    await print('new', 'others');
    expect(await run(['rename', 'others', 'notes'])).toMatchObject({ code: 1 });
    await print('rename', 'others', 'ideas');
    expect(await json('rename', 'ideas', '--remove')).toMatchObject({ name: null });
    expect((await run(['rename', 'notes'])).code).toBe(2);
  });
});

test('delete archives at once and says how to restore; what is archived is read but not changed', async () => {
  await withCli(async ({ print, run }) => {
    const id = (await print('new', 'notes')).slice(0, 8);
    await print('add', '@', 'hello');
    expect(await print('delete', 'notes')).toBe(`Archived notes. Restore with: cognition restore ${id}\n`);
    expect(await print('list')).toBe('');
    expect(await print('list', '--archived')).toContain(`${id}  notes`);
    expect(await print('show', 'notes')).toContain('User: hello');
    expect(await run(['add', 'notes', 'more'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`hint: run: cognition restore ${id}`),
    });
    expect(await print('restore', 'notes')).toBe('Restored notes.\n');
    expect(await print('list')).toContain('notes');
  });
});

test('restore gives a suffix to a name that was taken meanwhile, and says so', async () => {
  await withCli(async ({ print, run }) => {
    const old = (await print('new', 'notes')).trim();
    await print('delete', 'notes');
    await print('new', 'notes');
    const { stdout, stderr } = await run(['restore', old]);
    expect(stdout).toBe('Restored notes (2).\n');
    expect(stderr).toBe('The name "notes" has been taken meanwhile; it is now called "notes (2)".\n');
  });
});

test('list --here shows only what belongs to the folder that one is in', async () => {
  await withCli(async ({ home, print, json }) => {
    const client = await connectTo(home);
    await client.call('loom.tree_create', { name: 'elsewhere', project: '/elsewhere' });
    await client.close();
    await print('new', 'here');
    expect(await json('list')).toHaveLength(2);
    expect(await json('list', '--here')).toMatchObject([{ name: 'here' }]);
  });
});

test('a branch is archived and restored by its node', async () => {
  await withCli(async ({ print, json }) => {
    await print('new', 'notes');
    await print('add', '@', 'kept');
    const { id } = idOf(await json('add', '@', 'hidden'));
    await print('delete', '@', id.slice(0, 8));
    expect(await print('show', '--at', 'root')).not.toContain('hidden');
    expect(await print('show', '--all', '--at', 'root')).toContain('User: hidden (archived)');
    await print('restore', '@', id);
    expect(await print('show')).toContain('User: hidden');
  });
});

test('purge needs an answer, or --yes where nobody can give one', async () => {
  await withCli(async ({ print, run, json }) => {
    await print('new', 'notes');
    await print('add', '@', 'hello');
    const refused = await run(['purge', 'notes']);
    expect(refused).toMatchObject({ code: 8, stdout: '' });
    expect(refused.stderr).toMatch(
      /for good: 2 nodes, 0 bytes of stored outputs\n.*hint: add --yes when you are sure\n$/s,
    );
    expect(await print('purge', 'notes', '--yes')).toBe('Deleted notes.\n');
    expect(await json('list', '--archived')).toEqual([]);
    expect((await run(['show'])).code).toBe(3);
  });
});

function idOf(printed: unknown): { id: string } {
  if (typeof printed !== 'object' || printed === null || !('id' in printed)) throw new Error('no id was printed');
  return { id: String(printed.id) };
}

test('who has archived the current conversation is told how to go on', async () => {
  await withCli(async ({ print, run }) => {
    const first = (await print('new', 'first')).slice(0, 8);
    await print('new', 'second');
    const newest = await run(['delete', '@']);
    expect(newest.stderr).toContain(
      `Nothing is current here now. Go on in the newest, first, with: cognition use ${first}\n`,
    );
    expect((await run(['delete', 'first'])).stderr).not.toContain('current');
    await print('restore', 'first');
    await print('use', 'first');
    expect((await run(['delete', '@'])).stderr).toContain(
      'Nothing is current here now. Begin anew with: cognition chat\n',
    );
  });
});
