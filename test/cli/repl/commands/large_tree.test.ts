import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Client } from '../../../../hub/client/client.js';
import { NodeId, TreeId } from '../../../../hub/protocol/node.js';
import { connectTo } from '../../../support/hub.js';
import { withNotes } from './command_talk.js';

/** Adds a run of notes below a node, and resolves with its end. */
async function plantRun(
  client: Client,
  tree: TreeId,
  { from, count }: { from: NodeId; count: number },
): Promise<NodeId> {
  let parent = from;
  const calls: Promise<unknown>[] = [];
  for (let number = 0; number < count; number += 1) {
    const id = NodeId.parse(randomUUID());
    const blocks = [{ type: 'text' as const, text: `pear ${number}` }];
    calls.push(client.call('loom.node_create_text', { tree, parent, id, role: 'user', blocks }));
    parent = id;
  }
  await Promise.all(calls);
  return parent;
}

/** A tree with a long branch, and many short ones at the root. */
async function planted(home: string, id: string, branches: number): Promise<NodeId> {
  const client = await connectTo(home);
  const tree = TreeId.parse(id);
  const end = await plantRun(client, tree, { from: NodeId.parse(id), count: 700 });
  for (let number = 0; number < branches; number += 1)
    await plantRun(client, tree, { from: NodeId.parse(id), count: 1 });
  await client.close();
  return end;
}

test('what is long goes through the pager, and a long tree is told by its branches', async () => {
  await withNotes(
    async ({ home, tree, does }) => {
      await does('begin', 'notes');
      const end = await planted(home, tree(), 0);
      await does(`/goto ${end}`, 'You are at');
      await does('/context', '(2,100 lines, shown in the pager)');
      await does('/log', /\(70\d lines, shown in the pager\)/);
      await does('/compare @ root', /\([\d,]+ lines, shown in the pager\)/);
      await does('/search pear', 'There is more. See it with --limit 500');
      await does('/tree', '(one line for each branch; all 702 nodes: /tree --full)');
      await does('/export', '(1,400 lines, shown in the pager)');
    },
    { env: { COGNITION_PAGER: 'tee paged > /dev/null' } },
  );
});

test('of very many branches the newest are listed, and a number of three digits is one of them', async () => {
  await withNotes(async ({ home, tree, does }) => {
    await does('begin', 'notes');
    await planted(home, tree(), 230);
    await does('/goto root', 'You are at');
    const listed = await does('/branches', '(these are the newest 200 of 232; walk through all of them with Esc Esc');
    expect(listed).toMatch(/^Current node has 232 branches:\n {2}1\. → "pear 0" {2,}[0-9a-f]{8} {2}1 node/);
    expect(listed).toMatch(/^ {2}200\. → /m);
    await does('/switch 200', 'You are at');
    await does('/leaves', '(these are the newest 200; walk through all of them with Esc Esc');
  });
});
