import { expect, test } from 'vitest';
import type { ParamsOf } from '../../../hub/protocol/methods/method_table.js';
import type { ExportRecord } from '../../../hub/protocol/methods/tree_methods.js';
import { canonicalJson } from '../../../loom/store/canonical_json.js';
import { nodeHash } from '../../../loom/store/node_hash.js';
import { withReader } from '../../support/reader.js';
import { refusal } from '../../support/refusal.js';
import { ran, step, text, user } from '../../support/trees.js';
import { type TestWriter, withWriter } from '../../support/writer.js';

type Records = ParamsOf<'loom.tree_import'>['records'];
type NodeRecord = Extract<Records[number], { kind: 'node' }>['node'];

const TREE = '00000000-0000-4000-8000-00000000000a';
const FIRST = '00000000-0000-4000-8000-00000000000b';
const SECOND = '00000000-0000-4000-8000-00000000000c';

/** A node as somebody makes it up: whatever is in it, its hash is right. */
function madeUp(above: NodeRecord | null, given: { id: string } & Partial<NodeRecord>): NodeRecord {
  const node = {
    ...{ kind: 'text', role: 'user', tree: TREE, parent: above?.id ?? null, created_at_ms: 1, step: null },
    ...{ settings: null, blocks: text('made up'), ...given },
  };
  const external = 'external' in node ? canonicalJson(node.external) : null;
  const hashed = { ...node, meta: null, settings: null, blocks: canonicalJson(node.blocks), external };
  return { ...node, hash: nodeHash(above?.hash ?? null, hashed) } as NodeRecord; // what the schema says is tested there
}

const root = madeUp(null, { id: TREE, role: 'root', blocks: [] });
const head: Records = [
  { kind: 'tree', format: 1, tree: { id: TREE, name: null, project: null, owner: null, created_at_ms: 1 } },
  { kind: 'node', node: root },
];

const call = { kind: 'external', role: 'tool' } as const;
const cases: [string, Partial<NodeRecord>][] = [
  ['a second root', { role: 'root' }],
  ['a step of a person', { step: { id: FIRST, index: 0, size: 1 } }],
  ['a step under another id', { role: 'assistant', step: { id: SECOND, index: 0, size: 1 } }],
  ['a step with a place beyond its end', { role: 'assistant', step: { id: FIRST, index: 1, size: 1 } }],
  ['a result that answers no call', { ...call, external: ran('ls', 'call-1') }],
  [
    'a step that begins with a result',
    { ...call, external: ran('ls', 'call-1'), step: { id: FIRST, index: 0, size: 1 } },
  ],
];

test.each(cases)('an import refuses %s, even with a valid hash', (_what, given) =>
  withWriter((writer) => {
    const records: Records = [...head, { kind: 'node', node: madeUp(root, { id: FIRST, ...given }) }];
    const { kind, message } = refusal(() => writer.write('loom.tree_import', { tree: TREE, records, done: true }));
    expect({ kind, message }).toEqual({
      kind: 'invalid_params',
      message: expect.stringMatching(/of a form that no home can have made|step around node/),
    });
    expect(writer.store.all('SELECT * FROM nodes')).toEqual([]);
  }),
);

async function exportOf(): Promise<{ tree: string; ids: Record<string, string>; records: ExportRecord[] }> {
  let taken: { tree: string; ids: Record<string, string>; records: ExportRecord[] } | undefined;
  await withReader(async ({ read }, writer) => {
    const { tree, ids } = await writer.plant(user('a', step('look', ['ls'], user('b'))));
    writer.write('loom.mark_set', { tree, name: 'here', node: ids.b ?? '' });
    const { records } = await read('loom.tree_export', { tree });
    taken = { tree, ids, records };
  });
  if (taken === undefined) throw new Error('nothing was exported');
  return taken;
}

test('an import stops once its tree has been archived', async () => {
  const { tree, records } = await exportOf();
  await withWriter((writer) => {
    const pointers = records.filter(({ kind }) => kind === 'mark');
    writer.write('loom.tree_import', { tree, records, done: true });
    writer.write('loom.tree_archive', { tree });
    const again = () => writer.write('loom.tree_import', { tree, records: pointers, done: true });
    expect(refusal(again).kind).toBe('archived');
  });
});

test('two imports of one tree at once end in the tree, each node once', async () => {
  const { tree, records } = await exportOf();
  await withReader(async ({ read }, writer) => {
    const [front, back] = [records.slice(0, 3), records.slice(3)];
    const calls = [front, front, back, back].map((part, index): [keyof Ops, object] => [
      'loom.tree_import',
      { tree, records: part, done: index > 1 },
    ]);
    const answers = writer.writeTogether(calls);
    expect(answers.map((answer) => ('added' in answer ? answer.added : answer))).toEqual([2, 0, 3, 0]);
    expect((await read('loom.fsck', {})).problems).toEqual([]);
  });
});

type Ops = Record<Parameters<TestWriter['writeTogether']>[0][number][0], unknown>;

test('a mark imported into an existing tree is sent to its watchers', async () => {
  const { tree, ids, records } = await exportOf();
  await withWriter((writer) => {
    const isMark = ({ kind }: ExportRecord) => kind === 'mark';
    writer.write('loom.tree_import', { tree, records: records.filter((one) => !isMark(one)), done: true });
    writer.write('loom.tree_import', { tree, records: records.filter(isMark), done: true });
    expect(JSON.parse(writer.feed.at(-1)?.json ?? '')).toMatchObject({
      kind: 'mark_set',
      mark: { tree, name: 'here', node: ids.b },
    });
  });
});

test('a reader of the feed during an import gets all that a live watcher got', async () => {
  const { tree, records } = await exportOf();
  await withReader(async ({ feed }, writer) => {
    writer.write('loom.tree_import', { tree, records, done: false });
    const during = await feed({ tree: null, since: 0, until: writer.feed.at(-1)?.seq ?? 0, limit: 100 });
    writer.write('loom.tree_import', { tree, records: [], done: true });
    const after = await feed({ tree: null, since: during.seq, until: writer.feed.at(-1)?.seq ?? 0, limit: 100 });
    expect([...during.events, ...after.events].map(({ seq }) => seq)).toEqual(writer.feed.map(({ seq }) => seq));
  });
});

test('a sub-session whose owner is in another home is listed with the other trees', async () => {
  const { tree, records } = await exportOf();
  await withReader(async ({ read }, writer) => {
    const owner = { tree: TREE, node: FIRST };
    const owned = records.map((one) => (one.kind === 'tree' ? { ...one, tree: { ...one.tree, owner } } : one));
    writer.write('loom.tree_import', { tree, records: owned as Records, done: true }); // ids are brands
    expect((await read('loom.tree_list', {})).trees.map(({ id }) => id)).toEqual([tree]);
  });
});
