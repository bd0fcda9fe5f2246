import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { NodeId } from '../../../hub/protocol/node.js';
import { idBlob } from '../../../loom/store/rows.js';
import { openReader } from '../../support/reader.js';
import { refusal } from '../../support/refusal.js';
import { stepParts, text, user } from '../../support/trees.js';
import { type TestWriter, withWriter } from '../../support/writer.js';

const PAGE_BYTES = 4_096;
const INDEX_LEAF = 0x0a;

/** Has the index of the nodes lead from one id to the row of another, and opens the database anew. */
function misleadIndex(writer: TestWriter, from: string, to: string): void {
  const seqOf = (id: string) =>
    writer.store.get<{ seq: number }>('SELECT seq FROM nodes WHERE id = ?', idBlob(id))?.seq;
  const [seq, other] = [seqOf(from), seqOf(to)];
  writer.store.pragma('wal_checkpoint(TRUNCATE)');
  const path = join(writer.folder, 'trees.db');
  const bytes = readFileSync(path);
  const id = idBlob(from);
  let changed = 0;
  for (let at = bytes.indexOf(id); at >= 0; at = bytes.indexOf(id, at + 1)) {
    if (bytes[Math.floor(at / PAGE_BYTES) * PAGE_BYTES] !== INDEX_LEAF || bytes[at + id.length] !== seq) continue;
    bytes[at + id.length] = other ?? 0;
    changed += 1;
  }
  expect(changed).toBe(1);
  writeFileSync(path, bytes);
  writer.restart();
}

test('nothing is written below a node, nor marked there, when the index leads from its id to another one', () =>
  withWriter(async (writer) => {
    const { tree, ids } = await writer.plant(user('meant'), user('other'));
    const meant = ids.meant ?? '';
    misleadIndex(writer, meant, ids.other ?? '');
    const place = { tree, parent: meant };
    const error = { kind: 'storage_failed', message: expect.stringContaining('the index of the nodes is damaged') };
    const message = { ...place, role: 'user' as const, blocks: text('below') };
    expect(refusal(() => writer.write('loom.node_create_text', message))).toMatchObject(error);
    expect(refusal(() => writer.write('loom.step_create', { ...place, ...stepParts('look', ['ls']) }))).toMatchObject(
      error,
    );
    expect(refusal(() => writer.write('loom.turn_start', { tree, node: meant }))).toMatchObject(error);
    expect(refusal(() => writer.write('loom.node_check', { tree, node: meant }))).toMatchObject(error);
    expect(refusal(() => writer.write('loom.mark_set', { tree, name: 'here', node: meant }))).toMatchObject(error);
    expect(writer.store.get('SELECT count(*) AS n FROM nodes WHERE depth > 1')).toEqual({ n: 0 });
    const sound = { ...place, parent: ids.other ?? '', role: 'user' as const, blocks: text('elsewhere') };
    expect(writer.write('loom.node_create_text', sound).node.parent).toBe(ids.other);
  }));

test('no other node is shown for an id from which the index leads elsewhere, in lists neither', () =>
  withWriter(async (writer) => {
    const { ids } = await writer.plant(user('meant'), user('other'));
    const [meant, other] = [NodeId.parse(ids.meant), NodeId.parse(ids.other)];
    misleadIndex(writer, meant, other);
    const reader = openReader(writer.folder);
    const error = { kind: 'storage_failed', message: expect.stringContaining('the index of the nodes is damaged') };
    await expect(reader.read('loom.node_get', { node: meant })).rejects.toMatchObject(error);
    await expect(reader.read('loom.node_get_many', { nodes: [other, meant] })).rejects.toMatchObject(error);
    await expect(reader.read('loom.node_read_children', { node: meant })).rejects.toMatchObject(error);
    expect((await reader.read('loom.node_get_many', { nodes: [other] })).nodes).toMatchObject([{ id: other }]);
    reader.close();
  }));
