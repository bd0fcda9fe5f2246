import { expect, test } from 'vitest';
import { FeedEvent } from '../../../hub/protocol/feed_events.js';
import { NodeId, TreeId, TreeName } from '../../../hub/protocol/node.js';
import type { FeedPage } from '../../../loom/read/read_methods.js';
import { withReader } from '../../support/reader.js';
import { answer, step, text, user } from '../../support/trees.js';

test('the feed read later equals the events published live', async () => {
  await withReader(async ({ feed }, writer) => {
    const { tree, ids } = await writer.plant(user('a', step('s', ['ls'], user('b')), answer('c')));
    writer.write('loom.tree_update', { tree: TreeId.parse(tree), name: TreeName.parse('named "so"') });
    writer.write('loom.mark_set', { tree: TreeId.parse(tree), name: 'here' as never, node: NodeId.parse(ids.a) }); // a brand
    writer.write('loom.branch_archive', { tree: TreeId.parse(tree), node: NodeId.parse(ids.c) });
    const until = writer.feed.at(-1)?.seq ?? 0;
    const { events, seq } = await feed({ tree: null, since: 0, until, limit: 1_000 });
    const parsed = (entries: { json: string }[]) => entries.map(({ json }) => FeedEvent.parse(JSON.parse(json)));
    expect(parsed(events)).toEqual(parsed(writer.feed));
    expect(events.map((entry) => [entry.seq, entry.tree])).toEqual(writer.feed.map((entry) => [entry.seq, entry.tree]));
    expect(seq).toBe(until);
  });
});

test('the feed of one tree leaves out the others, over pages of any size', async () => {
  await withReader(async ({ feed }, writer) => {
    const one = await writer.plant(user('a', user('b')));
    await writer.plant(user('x'));
    const parent = NodeId.parse(one.ids.b);
    writer.write('loom.node_create_text', { tree: TreeId.parse(one.tree), parent, role: 'user', blocks: text('c') });
    const until = writer.feed.at(-1)?.seq ?? 0;
    const seen: string[] = [];
    for (let since = 0; since < until; ) {
      const page: FeedPage = await feed({ tree: one.tree, since, until, limit: 2 });
      expect(page.events.length).toBeLessThanOrEqual(2);
      expect(page.seq).toBeGreaterThan(since);
      seen.push(...page.events.map((entry) => entry.json));
      since = page.seq;
    }
    expect(seen.map((json) => JSON.parse(json))).toEqual(
      writer.feed.filter((entry) => entry.tree === one.tree).map((entry) => JSON.parse(entry.json)),
    );
  });
});

test('a feed of large nodes has several pages', async () => {
  await withReader(async ({ feed }, writer) => {
    const { tree } = await writer.plant();
    const parent = NodeId.parse(tree);
    for (let count = 0; count < 4; count++) {
      const blocks = text('x'.repeat(3_000_000));
      writer.write('loom.node_create_text', { tree: TreeId.parse(tree), parent, role: 'user', blocks });
    }
    const until = writer.feed.at(-1)?.seq ?? 0;
    const pages: number[] = [];
    for (let since = 0; since < until; ) {
      const page: FeedPage = await feed({ tree: null, since, until, limit: 1_000 });
      pages.push(page.events.length);
      since = page.seq;
    }
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.reduce((sum, count) => sum + count)).toBe(writer.feed.length);
  });
});
