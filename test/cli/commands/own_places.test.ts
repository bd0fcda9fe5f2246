import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { NodeId, TreeId } from '../../../hub/protocol/node.js';
import { words } from '../../hub/agent/turn/turn_calls.js';
import type { TestCli } from '../../support/cli.js';
import { connectTo } from '../../support/hub.js';
import { say } from '../../support/model/script.js';
import { bash, withTalk } from '../repl/conversation/talk.js';

/** Where a person's next command runs. */
async function placeOf(run: TestCli['run'], ...more: string[]): Promise<string> {
  const { stdout } = await run(['exec', '@', 'pwd', ...more]);
  return stdout.trim();
}

test("a person's commands begin where their own have led, a model's where its own have, on every branch", async () => {
  await withTalk(async ({ cli: { run, folder }, server, env }) => {
    const own = realpathSync(folder);
    for (const name of ['models', 'persons']) mkdirSync(join(folder, name));
    server.script(bash('c1', 'cd models'), say(words('I went there.')));
    await run(['ask', 'go'], { env });
    const before = await run(['mark', '@', 'models']);
    expect(before.code).toBe(0);
    expect(await placeOf(run)).toBe(own);
    await run(['exec', '@', 'cd persons']);
    expect(await placeOf(run)).toBe(join(own, 'persons'));
    server.script(bash('c2', 'pwd'), say(words('Seen.')));
    await run(['ask', '@', 'where are you?'], { env });
    expect(JSON.stringify(server.requests.at(-1)?.body.messages)).toContain(`${join(own, 'models')}\\n`);
    expect(await placeOf(run)).toBe(join(own, 'persons'));
    // Another branch from where the person had not gone anywhere yet, and from before the model had.
    expect(await placeOf(run, '--at', 'models')).toBe(own);
    server.script(bash('c3', 'pwd'), say(words('Seen.')));
    await run(['ask', '@', 'where are you now?', '--at', 'root'], { env });
    const last = JSON.stringify(server.requests.at(-1)?.body.messages);
    expect(last).toContain(`${own}\\n`);
    expect(last).not.toContain('models');
  });
});

test("nothing that a model's command exports reaches a person's", async () => {
  await withTalk(async ({ cli: { run, folder }, server, env }) => {
    server.script(
      bash('c1', 'echo "echo evil" > start; export EVIL=1 BASH_ENV=$PWD/start PATH=$PWD:$PATH; alias ls="echo evil"'),
      say(words('Set.')),
    );
    await run(['ask', 'go', '--no-sandbox'], { env });
    const { stdout } = await run(['exec', '@', 'echo "[$EVIL$BASH_ENV]"; echo "$PATH"']);
    expect(stdout).toMatch(/^\[\]\n/);
    expect(stdout).not.toContain(folder);
    // Control: the person's own is carried on.
    await run(['exec', '@', 'export MINE=1']);
    expect((await run(['exec', '@', 'echo "[$MINE]"'])).stdout).toBe('[1]\n');
  });
});

test('an imported file chooses no folder: neither for a person nor for a model', async () => {
  await withTalk(async ({ cli: { run, print, folder, home }, server, env }) => {
    const own = realpathSync(folder);
    server.script(bash('c1', 'echo made'), say(words('Made.')));
    const tree = (await print('new', 'notes')).trim();
    await run(['exec', '@', 'true']);
    await run(['ask', '@', 'go'], { env });
    const client = await connectTo(home);
    try {
      const path = await client.call('loom.context_get_path', { node: await lastNode(run) });
      // Control: what is added here leads there.
      const { external } = path.nodes.find(({ kind }) => kind === 'external') as { external: object };
      const made = await client.call('loom.node_create_external', {
        ...{ tree: TreeId.parse(tree), parent: NodeId.parse(tree), blocks: [] },
        external: {
          ...(external as Parameters<typeof client.call<'loom.node_create_external'>>[1]['external']),
          cwd: '/etc',
        },
      });
      expect(await placeOf(run, '--at', made.node.id)).toBe('/etc');
    } finally {
      await client.close();
    }
    const exported = await print('export', '@', '--format', 'jsonl', '--all');
    expect(exported).toContain('"cwd":"/etc"');
    await print('purge', '@', '--yes');
    // What the tools remember of branches ends with them.
    await print('hub', 'stop');
    expect((await run(['import', '-'], { input: exported })).code).toBe(0);
    await print('use', tree.slice(0, 8));
    const leaves = JSON.parse(await print('leaves', '@', '--json')) as { node: { id: string } }[];
    for (const { node } of leaves) expect(await placeOf(run, '--at', node.id)).toBe(own);
  });
});

async function lastNode(run: TestCli['run']): Promise<NodeId> {
  const leaves = JSON.parse((await run(['leaves', '@', '--json'])).stdout) as { node: { id: string } }[];
  return NodeId.parse(leaves[0]?.node.id);
}
