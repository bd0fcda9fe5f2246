import { readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TreeId } from '../../hub/protocol/node.js';
import { withCli } from '../support/cli.js';
import { connectTo } from '../support/hub.js';

test('an empty reference, as from an empty shell variable, is not found', async () => {
  await withCli(async ({ run, print }) => {
    const tree = (await print('new', 'notes')).slice(0, 8);
    const said = async (...words: string[]) => (await run(words)).stderr.split('\n')[0];
    expect(await said('show', '')).toBe('cognition: no tree ""');
    expect(await said('add', '@', 'hello', '--at', '')).toBe(`cognition: no node "" in tree ${tree}`);
    expect(await said('show', 'x'.repeat(5_000))).toMatch(/^cognition: no tree "x{60}…"$/);
    expect(await said('search', '')).toBe('cognition: query: cannot be empty');
  });
});

test('marks that could not be used, or are not there, are refused', async () => {
  await withCli(async ({ run, print }) => {
    await print('new', 'notes');
    const refused = async (...words: string[]) => {
      const { code, stderr } = await run(['mark', '@', ...words]);
      return [code, stderr.split('\n')[0]];
    };
    expect(await refused('root')).toEqual([2, 'cognition: "root" always means the root, so it cannot be a mark']);
    expect(await refused('nowhere', '--remove')).toEqual([3, 'cognition: there is no mark "nowhere"']);
    await print('mark', '@', 'here');
    expect(await refused('here', 'root', '--remove')).toEqual([2, 'cognition: --remove takes no node']);
    expect(await print('mark', '@', 'here', '--remove')).toBe('Removed the mark "here".\n');
  });
});

test.each(['👨‍👩‍👧 family', 'می‌خواهم', 'e\u0301lan'])('the name %s is accepted', async (name) => {
  await withCli(async ({ print }) => {
    await print('new', name);
    expect(await print('show', name)).toContain('(root)');
  });
});

test.each(['\u200dx', 'x\u200d', 'x\u200d\u200dy', 'x\u202ey'])('the name %j is refused', async (name) => {
  await withCli(async ({ run }) => {
    expect((await run(['new', name])).code).toBe(2);
  });
});

test('with --json an error is one object on standard error', async () => {
  await withCli(async ({ run }) => {
    const { code, stdout, stderr } = await run(['show', 'nowhere', '--json']);
    expect({ code, stdout, error: JSON.parse(stderr) }).toEqual({
      ...{ code: 3, stdout: '' },
      error: {
        error: {
          kind: 'not_found',
          message: 'no tree "nowhere"',
          hint: 'see them with: cognition list',
          details: { near: [] },
        },
      },
    });
    expect(JSON.parse((await run(['shwo', '--json'])).stderr)).toMatchObject({ error: { kind: 'invalid_params' } });
  });
});

test.each([
  ['a line break', 'two\nlines'],
  ['a control character', 'red \x1b[31m'],
  ['10,000 letters', 'x'.repeat(10_000)],
  ['blanks at its ends', ' notes '],
  ['the sign of the current tree', '@notes'],
  ['nothing', ''],
])('a name with %s is refused in one clear line', async (_, name) => {
  await withCli(async ({ run, json }) => {
    const { code, stdout, stderr } = await run(['new', '--', name]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^cognition: name: a tree's name [^\n]*\n(hint: [^\n]*\n)?$/);
    expect(stderr.length).toBeLessThan(400);
    expect(await json('list')).toEqual([]);
  });
});

test.each([
  ['a line break', 'two\nlines'],
  ['a control character', 'red \x1b[31m'],
  ['10,000 letters', 'x'.repeat(10_000)],
])('a reference with %s is not found, in one clear line', async (_, name) => {
  await withCli(async ({ run }) => {
    const { code, stderr } = await run(['show', '--', name]);
    expect([2, 3]).toContain(code);
    expect(stderr).toMatch(/^cognition: \P{Cc}*\n(hint: \P{Cc}*\n)?$/u);
    expect(stderr.length).toBeLessThan(400);
  });
});

test('a message that cannot be stored is refused with the reason', async () => {
  await withCli(async ({ run, print }) => {
    await print('new', 'notes');
    const refused = async (input: string | Uint8Array) => {
      const { code, stderr } = await run(['add', '@', '-'], { input });
      return { code, reason: stderr.split('\n')[0] };
    };
    expect(await refused('')).toEqual({ code: 2, reason: 'cognition: the message is empty' });
    expect(await refused(' \n\t\n')).toEqual({ code: 2, reason: 'cognition: the message is empty' });
    expect(await refused(Buffer.from([0x61, 0x62, 0xff]))).toEqual({
      ...{ code: 2, reason: 'cognition: the message is not UTF-8: byte 2 does not belong to a character' },
    });
    expect(await refused('x'.repeat(20_000_000))).toEqual({
      ...{ code: 2, reason: 'cognition: the message has more than 8.0 MiB; a message may have 8.0 MiB' },
    });
    expect((await run(['add', 'just a message'])).stderr).toContain('hint: cognition add @ "message"');
  });
});

test('a corrupt session file is set aside and is never fatal', async () => {
  await withCli(async ({ folder, home, run, print }) => {
    const id = (await print('new', 'notes')).trim();
    writeFileSync(join(home, 'session.json'), '{"version":1,"curr');
    const { code, stderr } = await run(['use', 'notes']);
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /could not be read; it was set aside as .*session\.json\.corrupt-\d+, and positions start anew/,
    );
    expect(JSON.parse(readFileSync(join(home, 'session.json'), 'utf8'))).toEqual({
      version: 1,
      current: id,
      projects: { [realpathSync(folder)]: id },
      trees: {},
    });
    expect(readdirSync(home).filter((name) => name.startsWith('session.json'))).toHaveLength(2);
  });
});

test('a position in a tree that was purged by another client is not fatal', async () => {
  await withCli(async ({ home, run, print }) => {
    await print('new', 'notes');
    const session = readFileSync(join(home, 'session.json'));
    await print('purge', 'notes', '--yes');
    writeFileSync(join(home, 'session.json'), session);
    expect((await run(['show'])).code).toBe(3);
    expect((await run(['list'])).code).toBe(0);
  });
});

test('a home that cannot be a folder is reported', async () => {
  await withCli(async ({ folder, run }) => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    const { code, stdout, stderr } = await run(['list'], { env: { COGNITION_HOME: file } });
    expect({ code: code === 0, stdout }).toEqual({ code: false, stdout: '' });
    expect(stderr).toMatch(/^cognition: .*file/);
  });
});

test('a reference that means several trees is read with a note and not changed', async () => {
  await withCli(async ({ home, run, print, json }) => {
    const { connectTo } = await import('../support/hub.js');
    const client = await connectTo(home);
    for (const last of ['1', '2']) {
      await client.call('loom.tree_create', { id: `abcd0000-0000-4000-8000-00000000000${last}` });
    }
    await client.close();
    const read = await run(['show', 'abcd']);
    expect({ code: read.code, note: read.stderr.split('\n')[0] }).toEqual({
      ...{ code: 0, note: '"abcd" means 2 trees, the first of these was taken:' },
    });
    for (const words of [
      ['delete', 'abcd'],
      ['rename', 'abcd', 'x'],
      ['purge', 'abcd', '--yes'],
    ]) {
      expect(await run(words)).toMatchObject({ code: 3, stderr: expect.stringContaining('"abcd" means 2 trees:\n') });
    }
    expect(await json('list')).toHaveLength(2);
    await print('delete', 'abcd0000-0000-4000-8000-000000000001');
    expect(await json('list')).toHaveLength(1);
  });
});

test('what cannot be done at the root is said', async () => {
  await withCli(async ({ run, print }) => {
    const id = (await print('new', 'notes')).trim();
    expect(await run(['restore', 'notes', 'root'])).toMatchObject({
      ...{ code: 2, stderr: expect.stringContaining(`cognition restore ${id.slice(0, 8)}\n`) },
    });
    expect(await run(['export', 'notes'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('empty'),
    });
  });
});

test('trees whose ids begin alike are told apart by enough of their ids', async () => {
  await withCli(async ({ home, run }) => {
    const client = await connectTo(home);
    const ids = ['a', 'b'].map((end) => TreeId.parse(`12345678-1234-4000-8000-00000000000${end}`));
    for (const id of ids) await client.call('loom.tree_create', { id });
    await client.close();
    const { stderr } = await run(['add', '12345678', 'hello']);
    for (const id of ids) expect(stderr).toContain(`  ${id}  (empty)`);
  });
});
