import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { TestCli } from '../../support/cli.js';
import { withCli } from '../../support/cli.js';
import { connectTo } from '../../support/hub.js';
import { answer, grow, step, user } from '../../support/trees.js';

const AskOutcome = z.object({ turn: z.string(), tree: z.string(), tip: z.string() });
const ShowResult = z.object({ position: z.string(), nodes: z.array(z.object({ id: z.string() })) });

/** Grows the example tree and makes it current; returns the ids of its nodes by their names. */
async function treeWithBranches({ home, print }: TestCli): Promise<Record<string, string>> {
  const client = await connectTo(home);
  const tree = await client.call('loom.tree_create', { name: 'files' });
  const ids = await grow((method, params) => client.call(method, params as never), { tree: tree.id, parent: tree.id }, [
    user(
      'list the python files',
      step('', ['ls src/*.py'], answer('I found 2', user('show utils.py'), user('show main.py', answer('here it is')))),
    ),
  ]);
  await client.close();
  await print('use', 'files');
  return ids;
}

test('add goes where the person stands and moves them there', async () => {
  await withCli(async ({ print }) => {
    await print('new', 'notes');
    expect(await print('add', '@', 'first')).toMatch(/^Added [0-9a-f]{8}\n$/);
    await print('add', '@', 'second');
    expect(await print('add', '@', 'an alternative', '--at', 'root')).toMatch(/^Added [0-9a-f]{8}, a new branch\n$/);
    await print('add', '@', 'after it');
    expect(await print('show')).toBe(`(root)
 ├── User: first
 │   User: second
 User: an alternative
 User: after it          ● you are here
`);
  });
});

test('add reads standard input, and prints the node with --json', async () => {
  await withCli(async ({ print, run }) => {
    await print('new', 'notes');
    const { stdout } = await run(['add', '@', '-', '--json'], { input: 'one\r\ntwo 数据\r\n' });
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ role: 'user', branched: false, depth: 1 },
      blocks: [{ type: 'text', text: 'one\ntwo 数据' }],
    });
  });
});

test('where several leaves are possible they are listed, and --at chooses', async () => {
  await withCli(async (cli) => {
    const ids = await treeWithBranches(cli);
    const { code, stdout, stderr } = await cli.run(['add', '@', 'hello']);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain(`${ids['here it is']?.slice(0, 8)}  just now  2 nodes  show main.py`);
    expect(stderr).toContain(`${ids['show utils.py']?.slice(0, 8)}  just now  1 node   show utils.py`);
    expect(stderr).toContain('--at <node>');
    await cli.print('add', '@', 'hello', '--at', ids['show utils.py'] ?? '');
    expect(await cli.print('show')).toBe(`(root)
 User: list the python files
 [bash:ls src/*.py]
 Assistant: I found 2
 ├── User: show main.py
 │   Assistant: here it is
 User: show utils.py
 User: hello          ● you are here
`);
  });
});

test('a node inside a step stands for the end of its step', async () => {
  await withCli(async (cli) => {
    const ids = await treeWithBranches(cli);
    const inside = await cli.run(['add', '@', 'aside', '--at', ids[''] ?? '', '--json']);
    expect(JSON.parse(inside.stdout)).toMatchObject({ parent: ids['ls src/*.py'], branched: true });
    expect(inside.stderr).toContain('is inside a step; this is its end');
  });
});

test('a mark can be used in place of an id', async () => {
  await withCli(async (cli) => {
    const ids = await treeWithBranches(cli);
    await cli.print('mark', '@', 'fork here', ids['I found 2'] ?? '');
    expect(await cli.print('mark', '@')).toBe(`${ids['I found 2']?.slice(0, 8)}  just now  fork here\n`);
    await cli.print('add', '@', 'a third way', '--at', 'fork here');
    expect(await cli.json('branches')).toMatchObject([
      { current: true, nodes: 1, title: { preview: 'a third way' } },
      { current: false },
      { current: false },
    ]);
    await cli.print('mark', '@', 'fork here', '--remove');
    expect(await cli.print('mark', '@')).toBe('');
  });
});

test('compare tells what two branches share and have alone', async () => {
  await withCli(async (cli) => {
    const ids = await treeWithBranches(cli);
    const [a = '', b = ''] = [ids['here it is'], ids['show utils.py']];
    expect(await cli.json('compare', '@', a, b)).toMatchObject({
      ancestor: { id: ids['I found 2'] },
      a: [{ preview: 'show main.py' }, { id: a }],
      b: [{ id: b }],
    });
  });
});

test('context prints the path, and a node of another tree is not found', async () => {
  await withCli(async (cli) => {
    const ids = await treeWithBranches(cli);
    const printed = await cli.print('context', '@', ids['here it is'] ?? '');
    const said = printed.replaceAll(/^[0-9a-f]{8} /gm, '').replaceAll('  just now', '');
    expect(said).toBe(`User
list the python files

[bash] ls src/*.py  exit 0
output of ls src/*.py

Assistant
I found 2

User
show main.py

Assistant
here it is

`);
    await cli.print('new', 'other');
    expect((await cli.run(['context', 'other', ids['here it is'] ?? ''])).code).toBe(3);
  });
});

test('leaves lists the ends of all branches', async () => {
  await withCli(async (cli) => {
    const ids = await treeWithBranches(cli);
    expect(await cli.json('leaves')).toMatchObject([
      { node: { id: ids['here it is'] } },
      { node: { id: ids['show utils.py'] } },
    ]);
    expect(await cli.json('leaves', '@', '--under', ids['show main.py'] ?? '')).toMatchObject([
      { node: { id: ids['here it is'] } },
    ]);
  });
});

test('search finds words in all branches, and tells where', async () => {
  await withCli(async (cli) => {
    await treeWithBranches(cli);
    expect(await cli.print('search', 'SHOW main')).toMatch(
      /^[0-9a-f]{8} {2}User {2}just now {2}in files\n {2}show main.py\n$/,
    );
    expect(await cli.run(['search', 'nowhere'])).toEqual({ code: 0, stdout: '', stderr: 'Nothing found.\n' });
    expect((await cli.run(['search', 'py', '--limit', '1'])).stderr).toBe('There is more. See it with --limit 10\n');
  });
});

test('a position that no longer exists is reported, and treated as none', async () => {
  await withCli(async (cli) => {
    await cli.print('new', 'notes');
    const session = join(cli.home, 'session.json');
    const [tree = ''] = /[0-9a-f-]{36}/.exec(readFileSync(session, 'utf8')) ?? [];
    const trees = { [tree]: { node: '00000000-0000-4000-8000-000000000000', moved_at_ms: 1 } };
    writeFileSync(session, JSON.stringify({ version: 1, current: tree, trees }));
    const { code, stderr } = await cli.run(['add', '@', 'hello']);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `the saved position 00000000 is no longer in tree ${tree.slice(0, 8)}\n`,
    });
  });
});

test('the position of a client that left during a turn is drawn where the turn ended', async () => {
  await withCli(async (cli) => {
    const { turn, tree, tip } = AskOutcome.parse(await cli.json('ask', 'hello', '--model', 'demo'));
    const { nodes } = ShowResult.parse(await cli.json('show'));
    const trees = { [tree]: { node: nodes[1]?.id, moved_at_ms: 1, following: turn } };
    writeFileSync(join(cli.home, 'session.json'), JSON.stringify({ version: 1, current: tree, trees }));
    expect(ShowResult.parse(await cli.json('show')).position).toBe(tip);
    expect((await cli.run(['show'])).stderr).toContain('The turn that you began has come to its end');
  });
});

test('branches that begin alike beyond what is stored as a preview are told apart everywhere', async () => {
  await withCli(async ({ home, print, run }) => {
    const alike = `Please read the program as a whole, ${'and then think about each of its parts, '.repeat(8)}`;
    const [sea, hills] = [`${alike}for the sea`, `${alike}for the hills`];
    const client = await connectTo(home);
    const { id: tree } = await client.call('loom.tree_create', {});
    const ids = await grow((method, params) => client.call(method, params as never), { tree, parent: tree }, [
      user('begin', user(sea), user(hills)),
    ]);
    await client.close();
    const at = ids.begin ?? '';
    const listed = await print('branches', tree, '--at', at);
    expect([listed.includes('"…hills"'), listed.includes('"…sea"')]).toEqual([true, true]);
    expect(await print('leaves', tree)).toMatch(/…hills\n.*…sea\n/);
    const drawn = await run(['show', tree, '--at', ids[hills] ?? ''], { env: { COLUMNS: '80' } });
    expect(drawn.stdout).toMatch(/ ├── User: …sea\n User: …hills +● you are here\n/);
    const compared = await print('compare', tree, ids[sea] ?? '', ids[hills] ?? '');
    expect(compared).toMatch(/User: …sea\n[\s\S]*User: …hills\n/);
  });
});
