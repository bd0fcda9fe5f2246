import { expect, test } from 'vitest';
import { z } from 'zod';
import { type TestCli, withCli } from '../../support/cli.js';

const Tree = z.object({ id: z.string(), forked_from: z.object({ tree: z.string(), node: z.string() }).nullable() });
const Forked = z.object({ tree: Tree, node: z.string() });

async function told({ run }: TestCli, ...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(words);
  return `${code}\n${stdout}${stderr}`;
}

test('fork makes a branch a conversation of its own, where one stands then, and both say of each other', async () => {
  await withCli(async (cli) => {
    const first = (await cli.print('new', 'parser')).trim();
    await cli.print('add', '@', 'apples');
    await cli.print('add', '@', 'pears');
    const { tree, node } = Forked.parse(await cli.json('fork'));
    expect(tree.forked_from?.tree).toBe(first);
    expect(tree.id).not.toBe(first);
    await cli.print('add', '@', 'only in the new one');
    const from = tree.forked_from?.node.slice(0, 8);
    expect(await told(cli, 'show')).toBe(
      `0\n(root)\n User: apples\n User: pears\n User: only in the new one          ● you are here\n` +
        `Forked at ${from} from ${first.slice(0, 8)}, "parser".\n`,
    );
    expect(await told(cli, 'show', 'parser')).toContain(`\nForked from it: ${tree.id.slice(0, 8)} at ${from}.\n`);
    expect(await cli.print('show', 'parser')).not.toContain('only in the new one');
    expect(await cli.print('list')).toMatch(new RegExp(`${tree.id.slice(0, 8)} .* fork of ${first.slice(0, 8)}`));
    expect(node).not.toBe(tree.forked_from?.node);
  });
});

test('fork takes the path to a node, under a name; export and import keep what it was forked from', async () => {
  await withCli(async (cli) => {
    await cli.print('new');
    await cli.print('add', '@', 'apples');
    await cli.print('mark', '@', 'good');
    await cli.print('add', '@', 'pears');
    const { tree } = Forked.parse(await cli.json('fork', '@', 'good', '--name', 'try two'));
    expect(await cli.print('show', 'try two')).not.toContain('pears');
    expect((await cli.run(['fork', 'try two', '--name', 'try two'])).stderr).toContain(
      'there is a tree named "try two" already',
    );
    const exported = await cli.print('export', 'try two', '--format', 'jsonl');
    await withCli(async (other) => {
      await other.run(['import', '-'], { input: exported });
      expect(z.array(Tree).parse(await other.json('list'))[0]?.forked_from).toEqual(tree.forked_from);
      expect(await told(other, 'show', 'try two')).toContain(
        `Forked at ${tree.forked_from?.node.slice(0, 8)} from ${tree.forked_from?.tree.slice(0, 8)}, which is gone.`,
      );
    });
  });
});

test('search takes a regular expression, and a role', async () => {
  await withCli(async (cli) => {
    await cli.print('new');
    await cli.print('add', '@', 'it timed out');
    await cli.print('exec', '@', 'echo time-out');
    expect(await cli.print('search', '--regex', 'time(d |-)out', '--role', 'user')).toContain('it timed out');
    expect(await cli.print('search', '--regex', 'time(d |-)out', '--role', 'tool')).not.toContain('it timed out');
    const { code, stderr } = await cli.run(['search', '--regex', '(']);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('"(" is not a regular expression: Unterminated group\nhint: '),
    });
  });
});
