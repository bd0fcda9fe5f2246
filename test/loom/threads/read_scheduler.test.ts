import { expect, test } from 'vitest';
import { METHODS } from '../../../hub/protocol/methods/method_table.js';
import { TreeId } from '../../../hub/protocol/node.js';
import { type TestReader, withReader } from '../../support/reader.js';
import { text, user } from '../../support/trees.js';
import type { TestWriter } from '../../support/writer.js';

const skeletonOf = (tree: string) => METHODS['loom.tree_get_skeleton'].params.parse({ tree, limit: 10_000 });

async function wideTree(writer: TestWriter, count: number): Promise<string> {
  const { tree } = await writer.plant();
  const append = (_: unknown, index: number): ['loom.node_create_text', object] => [
    'loom.node_create_text',
    { tree, parent: tree, role: 'user', blocks: text(`${index}`) },
  ];
  writer.writeTogether(Array.from({ length: count }, append));
  return tree;
}

/** Each ten thousand ids are of another caller. */
const ask = ({ scheduler, answer }: TestReader, id: number, tree: string) => {
  const reply = answer(id);
  scheduler.accept({ id, caller: Math.floor(id / 10_000), op: 'loom.tree_get_skeleton', params: skeletonOf(tree) });
  return reply;
};

test('a long operation does not delay a short one that came later', async () => {
  await withReader(async (reader, writer) => {
    const tree = await wideTree(writer, 3_000);
    const order: string[] = [];
    const long = ask(reader, 1, tree).then(() => order.push('long'));
    const short = reader.read('loom.tree_get', { tree: TreeId.parse(tree) }).then(() => order.push('short'));
    await Promise.all([long, short]);
    expect(order).toEqual(['short', 'long']);
  });
});

test('many long operations of many callers delay no short one of another', async () => {
  await withReader(async (reader, writer) => {
    const tree = await wideTree(writer, 3_000);
    const order: string[] = [];
    const long = Array.from({ length: 200 }, (_, index) =>
      ask(reader, (index % 20) * 10_000 + index, tree).then(() => order.push('long')),
    );
    await Promise.race(long);
    const { scheduler, answer } = reader;
    const short = answer(990_000).then(() => order.push('short'));
    const before = order.length;
    scheduler.accept({ id: 990_000, caller: 99, op: 'loom.tree_get', params: { tree: TreeId.parse(tree) } });
    await Promise.all([...long, short]);
    expect(order.indexOf('short') - before).toBeLessThanOrEqual(4);
  });
});

test('many who catch up with the feed have every other slice, however much one who reads now and then has used', async () => {
  await withReader(async (reader, writer) => {
    const tree = await wideTree(writer, 300);
    const { scheduler, answer } = reader;
    const page = { tree: null, since: 0, until: 300, limit: 200 };
    let pages = 0;
    const watching = Array.from({ length: 400 }, (_, index) => {
      const reply = answer(index + 1).then(() => {
        pages += 1;
      });
      scheduler.accept({ id: index + 1, caller: 1 + (index % 40), op: 'feed', params: page });
      return reply;
    });
    const between: number[] = [];
    for (let round = 0; round < 8; round += 1) {
      const before = pages;
      await ask(reader, 990_000 + round, tree);
      between.push(pages - before);
    }
    // A page of 300 nodes is read in two slices.
    expect(Math.max(...between)).toBeLessThanOrEqual(6);
    await Promise.all(watching);
  });
});

test('callers with pages in the making keep none from its first one, and all are answered', async () => {
  await withReader(async (reader, writer) => {
    const tree = await wideTree(writer, 500);
    const replies = Array.from({ length: 160 }, (_, index) => ask(reader, (index % 40) * 1_000 + index, tree));
    const answered = (await Promise.all(replies)).filter((reply) => 'json' in reply);
    expect(answered).toHaveLength(160);
  });
});

test('a cancelled operation is answered as cancelled, whether it runs or waits', async () => {
  await withReader(async (reader, writer) => {
    const tree = await wideTree(writer, 2_000);
    const replies = Array.from({ length: 40 }, (_, index) => ask(reader, index + 1, tree));
    reader.scheduler.accept({ cancel: 1 });
    reader.scheduler.accept({ cancel: 40 });
    const kinds = (await Promise.all(replies)).map((reply) => ('error' in reply ? reply.error.kind : 'answered'));
    expect(kinds).toEqual(['cancelled', ...Array(38).fill('answered'), 'cancelled']);
  });
});

test('operations beyond the limit are refused as retryable', async () => {
  await withReader(async (reader, writer) => {
    const tree = await wideTree(writer, 1);
    const replies = Array.from({ length: 2_100 }, (_, index) => ask(reader, index + 1, tree));
    const refused = (await Promise.all(replies)).flatMap((reply) => ('error' in reply ? [reply.error] : []));
    expect(refused.length).toBeGreaterThan(0);
    expect(new Set(refused.map(({ kind, retryable }) => `${kind} ${retryable}`))).toEqual(new Set(['limit true']));
  });
});

test('cancelling an answered operation changes nothing', async () => {
  await withReader(async (reader, writer) => {
    const { tree } = await writer.plant(user('a'));
    await ask(reader, 1, tree);
    reader.scheduler.accept({ cancel: 1 });
    expect(await reader.read('loom.tree_get', { tree: TreeId.parse(tree) })).toMatchObject({ id: tree });
  });
});
