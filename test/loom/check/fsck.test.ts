import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { NodeId, Sha256, TreeId } from '../../../hub/protocol/node.js';
import { outputPath } from '../../../loom/outputs/output_path.js';
import { withHub } from '../../support/hub.js';
import { type TestReader, withReader } from '../../support/reader.js';
import { answer, command, ran, step, text, user } from '../../support/trees.js';
import type { TestWriter } from '../../support/writer.js';

const node = (id = '') => NodeId.parse(id);
const tree = (id: string) => TreeId.parse(id);

async function problems({ read }: TestReader, of: string | null = null): Promise<unknown[]> {
  const report = await read('loom.fsck', { tree: of === null ? null : tree(of) });
  expect(report.problem_count).toBe(report.problems.length);
  return report.problems.map(({ node: where, problem }) => [where, problem]);
}

/** Everything that a home can hold. */
async function furnish(writer: TestWriter) {
  const settings = { system_prompt: 'be brief', tools: [], level: 'minimal', model: 'm', thinking: null };
  const { sha256 } = writer.write('loom.settings_put', { settings });
  const planted = await writer.plant(user('a', step('s', ['ls', 'pwd'], user('b', answer('c'))), command('make')));
  const made = writer.write('loom.node_create_text', {
    ...{
      tree: tree(planted.tree),
      parent: node(planted.ids.c),
      role: 'assistant',
      blocks: text('d'),
      settings: sha256,
    },
  });
  const ids: Record<string, string> = { ...planted.ids, d: made.node.id };
  writer.write('loom.mark_set', { tree: tree(planted.tree), name: 'here' as never, node: node(ids.b) }); // a brand that the schema gives
  writer.write('loom.branch_archive', { tree: tree(planted.tree), node: node(ids.make) });
  await writer.plant();
  return { tree: planted.tree, ids };
}

function storeOutput(writer: TestWriter, content: string): Sha256 {
  const sha256 = Sha256.parse(createHash('sha256').update(content).digest('hex'));
  const path = outputPath(join(writer.folder, 'outputs'), sha256);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return sha256;
}

function withOutput(writer: TestWriter, place: { tree: string }, content: string) {
  const sha256 = storeOutput(writer, content);
  const output = { sha256, size_bytes: content.length, total_bytes: content.length };
  const made = writer.write('loom.node_create_external', {
    ...{ tree: tree(place.tree), parent: node(place.tree), blocks: text('it'), external: { ...ran('cat it'), output } },
  });
  return { id: made.node.id, sha256 };
}

test('an undamaged home has no problem', async () => {
  await withReader(async ({ read }, writer) => {
    const planted = await furnish(writer);
    withOutput(writer, planted, 'x'.repeat(3_000_000));
    expect(await read('loom.fsck', {})).toEqual({ trees: 2, nodes: 11, outputs: 1, problems: [], problem_count: 0 });
    expect(await read('loom.fsck', { tree: tree(planted.tree) })).toMatchObject({
      trees: 1,
      nodes: 10,
      outputs: 1,
      problem_count: 0,
    });
  });
});

test.each([
  ['blocks', `[{"text":"changed","type":"text"}]`],
  ['blocks', 'no JSON'],
  ['created_at_ms', 1],
  ['role', 'summary'],
  ['hash', Buffer.alloc(32)],
])('a change of %s is found and named', async (column, value) => {
  await withReader(async (reader, writer) => {
    const { ids } = await furnish(writer);
    writer.store.run(
      `UPDATE nodes SET ${column} = ? WHERE id = ?`,
      value,
      Buffer.from(ids.d?.replaceAll('-', '') ?? '', 'hex'),
    );
    expect(await problems(reader)).toContainEqual([ids.d, 'its contents do not match its hash']);
  });
});

test('columns outside the hash are checked against the hashed ones', async () => {
  await withReader(async (reader, writer) => {
    const { ids, tree: id } = await furnish(writer);
    const change = (sql: string, name: string) =>
      writer.store.run(sql, Buffer.from(ids[name]?.replaceAll('-', '') ?? '', 'hex'));
    change("UPDATE nodes SET preview = 'else' WHERE id = ?", 'd');
    change('UPDATE nodes SET depth = 77 WHERE id = ?', 'd');
    change('UPDATE nodes SET exit_code = 5 WHERE id = ?', 'make');
    writer.store.run(
      'UPDATE trees SET node_count = 7, branch_count = 9, message_count = 1, title = ? WHERE node_count > 1',
      'x',
    );
    expect(await problems(reader, id)).toEqual([
      [ids.make, 'its preview does not match its contents'],
      [ids.d, 'its depth is not one more than its parent’s'],
      [ids.d, 'its preview does not match its contents'],
      [null, 'the tree’s number of nodes is 9, but its row says 7'],
      [null, 'the tree’s number of messages is 5, but its row says 1'],
      [null, 'the tree’s number of branches is 1, but its row says 9'],
      [null, 'the tree’s title is not that of its first message'],
    ]);
  });
});

test('a torn step, a lost parent and dangling pointers are found', async () => {
  await withReader(async (reader, writer) => {
    const { ids, tree: id } = await furnish(writer);
    writer.store.exec('PRAGMA foreign_keys = off');
    for (const name of ['pwd', 'make']) {
      writer.store.run('DELETE FROM nodes WHERE id = ?', Buffer.from(ids[name]?.replaceAll('-', '') ?? '', 'hex'));
    }
    writer.store.run("UPDATE marks SET node = 9999 WHERE name = 'here'");
    expect(await problems(reader, id)).toEqual([
      [null, 'mark here does not point at a node of its tree'],
      [null, 'an archived branch does not point at a node of its tree'],
      [null, 'mark here is not what was set'],
      [ids.ls, 'the rest of its step is missing'],
      [ids.b, 'its parent is missing'],
      [ids.b, 'its contents do not match its hash'],
      [null, 'the tree’s number of nodes is 7, but its row says 9'],
      [null, 'the tree’s number of branches is 2, but its row says 1'],
    ]);
  });
});

test('changed settings are found', async () => {
  await withReader(async (reader, writer) => {
    await furnish(writer);
    writer.store.run("UPDATE settings SET body = replace(body, 'brief', 'long')");
    expect(await problems(reader)).toEqual([
      [null, expect.stringMatching(/^settings [0-9a-f]{64} are not what their hash says$/)],
    ]);
  });
});

test('a missing or changed output is reported with the node that points at it', async () => {
  await withReader(async (reader, writer) => {
    const planted = await furnish(writer);
    const changed = withOutput(writer, planted, 'as it was');
    writeFileSync(outputPath(join(writer.folder, 'outputs'), changed.sha256), 'as it is');
    const again = withOutput(writer, planted, 'another');
    writeFileSync(outputPath(join(writer.folder, 'outputs'), again.sha256), '');
    expect(await problems(reader)).toEqual([
      [changed.id, `its stored output ${changed.sha256} is not what its name says`],
      [again.id, `its stored output ${again.sha256} is not what its name says`],
    ]);
  });
});

test('a stored output that nothing points at is reported with its path, unless it is on its way', async () => {
  await withReader(async (reader, writer) => {
    const [lost, leased] = [storeOutput(writer, 'lost'), storeOutput(writer, 'leased')];
    writer.lease(leased);
    const stray = join(writer.folder, 'outputs', 'ab');
    mkdirSync(stray, { recursive: true });
    writeFileSync(join(stray, 'notes.txt'), 'not ours');
    const path = outputPath(join(writer.folder, 'outputs'), lost);
    expect(new Set(await problems(reader))).toEqual(
      new Set([
        [null, `nothing points at a stored output, and it can be removed: ${path}`],
        [null, `${join(stray, 'notes.txt')} is no stored output`],
      ]),
    );
  });
});

test('an overwritten page of the file costs only the nodes on it', async () => {
  await withReader(async (reader, writer) => {
    const { tree: id } = await writer.plant();
    const made = Array.from({ length: 300 }, (_, index) =>
      writer.write('loom.node_create_text', {
        ...{ tree: tree(id), parent: node(id), role: 'user', blocks: text(`needle-${index} ${'x'.repeat(300)}`) },
      }),
    );
    writer.store.pragma('wal_checkpoint(TRUNCATE)');
    overwritePageWith(join(writer.folder, 'trees.db'), 'needle-150 ');
    // What the connections hold of the file is forgotten with a change of it.
    writer.write('loom.tree_create', {});
    writer.store.pragma('wal_checkpoint(TRUNCATE)');
    const { nodes, problems: found } = await reader.read('loom.fsck', {});
    const unreadable = found.filter(({ problem }) => problem === 'a node, or one that it points at, cannot be read');
    expect(unreadable.map(({ seq }) => seq)).toContain(made[150]?.node.seq);
    expect(unreadable.length).toBeLessThan(30);
    expect(nodes + unreadable.length).toBe(302);
    const { records } = await reader.read('loom.tree_export', { tree: tree(id), undamaged: true, limit: 2_000 });
    expect(records.filter(({ kind }) => kind === 'node')).toHaveLength(nodes - 1);
  });
});

function overwritePageWith(path: string, content: string): void {
  const pageBytes = 4_096;
  const page = Math.floor(readFileSync(path).indexOf(content) / pageBytes);
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(pageBytes, 0xff), 0, pageBytes, page * pageBytes);
  closeSync(file);
}

test('checks that wait for another are answered after it, or when they are cancelled', () =>
  withHub(async ({ client }) => {
    await client.call('loom.tree_create', { id: tree('00000000-0000-4000-8000-000000000001') });
    const stop = new AbortController();
    const checks = [1, 2].map(() => client.call('loom.fsck', {}));
    const given = client.call('loom.fsck', {}, { signal: stop.signal });
    stop.abort();
    await expect(given).rejects.toMatchObject({ kind: 'cancelled' });
    for (const check of checks) expect(await check).toMatchObject({ nodes: 1, problem_count: 0 });
    expect(await client.call('loom.fsck', {})).toMatchObject({ nodes: 1, problem_count: 0 });
  }));
