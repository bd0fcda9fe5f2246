import { expect, test } from 'vitest';
import { NodeId } from '../../hub/protocol/node.js';
import { extent } from '../gauntlet/extent.js';
import { withHub } from '../support/hub.js';
import { buildTree } from './model.js';
import { PROPERTIES, tryProperty } from './properties.js';

const { seed, count } = extent(50);
const WRITERS = 4;

test.each(Object.entries(PROPERTIES))('%s', { timeout: 300_000 }, (_, check) =>
  withHub(({ client }) => withHub((other) => tryProperty({ client, other: other.client }, check, { seed, count }))),
);

test('many clients that append at one node at once make one branch each and lose nothing', () =>
  withHub(async ({ client, connect }) => {
    const { tree } = await buildTree(client, []);
    const parent = NodeId.parse(tree);
    const writers = await Promise.all(Array.from({ length: WRITERS }, () => connect()));
    const created = await Promise.all(
      Array.from({ length: count }, (_, index) => {
        const blocks = [{ type: 'text' as const, text: `message ${index}` }];
        const writer = writers[index % WRITERS] ?? client;
        return writer.call('loom.node_create_text', { tree, parent, role: 'user', blocks });
      }),
    );
    created.sort((a, b) => a.node.seq - b.node.seq);
    const { children } = await client.call('loom.node_get_children', { node: parent, limit: 1_000 });
    expect(children.map(({ id }) => id)).toEqual(created.map(({ node }) => node.id));
    expect(created.map(({ branched }) => branched)).toEqual(created.map((_, index) => index > 0));
  }));
