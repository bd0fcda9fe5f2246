import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ParamsOf } from '../../../hub/protocol/methods/method_table.js';
import { Sha256 } from '../../../hub/protocol/node.js';
import { outputPath } from '../../../loom/outputs/output_path.js';
import { dashed, idBlob } from '../../../loom/store/rows.js';
import { refusal } from '../../support/refusal.js';
import { ran, stepParts, text, user } from '../../support/trees.js';
import { type TestWriter, withWriter } from '../../support/writer.js';

const SECRET = 'the-canary-of-the-purged-tree';

function store(writer: TestWriter, bytes: string): { sha256: string; path: string } {
  const sha256 = Sha256.parse(createHash('sha256').update(bytes).digest('hex'));
  const path = outputPath(join(writer.folder, 'outputs'), sha256);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
  return { sha256, path };
}

const withOutput = (sha256: string) => ({ ...ran('cat'), output: { sha256, size_bytes: 3, total_bytes: 3 } });

const IMAGE = { media_type: 'image/png' as const, width: 1, height: 1 };

type Result = Pick<ParamsOf<'loom.turn_record_result'>, 'blocks' | 'external'>;

const [DONE_CALL, OPEN_CALL] = ['call-look-0', 'call-look-1'];

/** A running turn of a new tree: the first of its two calls has this result in the journal. */
async function turnWithResult(writer: TestWriter, result: Result): Promise<string> {
  const { tree, ids } = await writer.plant(user('go'));
  const parent = ids.go ?? '';
  const turn = writer.newId();
  writer.write('loom.turn_start', { id: turn, tree, node: parent });
  const { blocks } = stepParts('look', ['one', 'two']);
  const calls = [DONE_CALL, OPEN_CALL].map((call) => ({ call, id: writer.newId() }));
  writer.write('loom.turn_record_answer', { turn, parent, id: writer.newId(), blocks, settings: null, calls });
  const external = { ...result.external, call: { ...result.external.call, id: DONE_CALL } };
  writer.write('loom.turn_record_result', { turn, call: DONE_CALL, blocks: result.blocks, external });
  return turn;
}

const treeOf = (writer: TestWriter, turn: string): string =>
  dashed(
    writer.store.get<{ id: string }>(
      'SELECT lower(hex(t.id)) AS id FROM turns u JOIN trees t ON t.tree = u.tree WHERE u.id = ?',
      idBlob(turn),
    )?.id ?? '',
  );

describe('purge', () => {
  test('is refused while the files of a project lie in a copy for one of its turns', () =>
    withWriter(async (writer) => {
      const { tree, ids } = await writer.plant(user('a'));
      const turn = writer.newId();
      const [folder, base] = [Sha256.parse('b'.repeat(64)), Sha256.parse('a'.repeat(64))];
      const copy = { tree, node: ids.a ?? '', turn, folder, project: '/p', label: 'lane', check: null, base };
      writer.write('loom.copy_add', copy);
      const { confirm } = writer.write('loom.tree_purge', { tree });
      expect(refusal(() => writer.write('loom.tree_purge', { tree, confirm }))).toMatchObject({ kind: 'conflict' });
      writer.write('loom.copy_remove', { turn });
      expect(writer.write('loom.tree_purge', { tree, confirm })).toMatchObject({ purged: true });
    }));

  test('reports what it would delete, and deletes only that', () =>
    withWriter(async (writer) => {
      const { tree, ids } = await writer.plant(user('a'));
      const plan = writer.write('loom.tree_purge', { tree });
      expect(plan).toMatchObject({ purged: false, node_count: 2, output_bytes: 0, owned: [] });
      writer.write('loom.node_create_text', { tree, parent: ids.a ?? '', role: 'user', blocks: text('later') });
      expect(refusal(() => writer.write('loom.tree_purge', { tree, confirm: plan.confirm })).kind).toBe('conflict');
      const { confirm } = writer.write('loom.tree_purge', { tree });
      expect(writer.write('loom.tree_purge', { tree, confirm })).toMatchObject({ purged: true, node_count: 3 });
      expect(refusal(() => writer.write('loom.tree_purge', { tree })).kind).toBe('not_found');
    }));

  test('leaves no byte of the text, the names or the marks in the database files', () =>
    withWriter(async (writer) => {
      const kept = await writer.plant(user('kept'));
      const { tree, ids } = await writer.plant(user(`${SECRET} ${'x'.repeat(20_000)}`));
      writer.write('loom.tree_update', { tree, name: `${SECRET}-name` });
      writer.write('loom.mark_set', { tree, name: `${SECRET}-mark`, node: Object.values(ids)[0] ?? '' });
      const { confirm } = writer.write('loom.tree_purge', { tree });
      writer.write('loom.tree_purge', { tree, confirm });
      for (const file of ['trees.db', 'trees.db-wal']) {
        expect(readFileSync(join(writer.folder, file)).includes(SECRET), file).toBe(false);
      }
      expect(writer.write('loom.tree_update', { tree: kept.tree, name: 'still' }).node_count).toBe(2);
    }));

  test('removes the outputs that no other tree needs', () =>
    withWriter(async (writer) => {
      const [own, common] = [store(writer, 'own'), store(writer, 'common')];
      const place = async () => {
        const { tree, ids } = await writer.plant(user('a'));
        return { tree, parent: ids.a ?? '', blocks: text('out') };
      };
      const [doomed, other] = [await place(), await place()];
      writer.write('loom.node_create_external', { ...doomed, external: withOutput(own.sha256) });
      writer.write('loom.node_create_external', { ...doomed, external: withOutput(common.sha256) });
      writer.write('loom.node_create_external', { ...other, external: withOutput(common.sha256) });
      const plan = writer.write('loom.tree_purge', { tree: doomed.tree });
      expect(plan.output_bytes).toBe(3);
      writer.write('loom.tree_purge', { tree: doomed.tree, confirm: plan.confirm });
      expect([existsSync(own.path), existsSync(common.path)]).toEqual([false, true]);
    }));

  test('deletes sub-session trees as well, and names them first', () =>
    withWriter(async (writer) => {
      const { tree, ids } = await writer.plant(user('a'));
      const child = writer.write('loom.tree_create', { name: 'child', owner: { tree, node: ids.a ?? '' } });
      const grandchild = writer.write('loom.tree_create', { owner: { tree: child.id, node: child.id } });
      const plan = writer.write('loom.tree_purge', { tree });
      expect(plan.owned.map((owned) => owned.id)).toEqual([child.id, grandchild.id]);
      writer.write('loom.tree_purge', { tree, confirm: plan.confirm });
      expect(writer.store.get('SELECT count(*) AS n FROM trees')).toEqual({ n: 0 });
      expect(writer.feed.filter((entry) => entry.json.includes('tree_purged'))).toHaveLength(3);
    }));

  test('keeps an output that is pointed at by a node of the same commit', () =>
    withWriter(async (writer) => {
      const { sha256, path } = store(writer, 'shared');
      const doomed = writer.write('loom.tree_create', {}).id;
      const kept = writer.write('loom.tree_create', {}).id;
      const node = { blocks: text('x'), external: withOutput(sha256) };
      writer.write('loom.node_create_external', { tree: doomed, parent: doomed, ...node });
      const { confirm } = writer.write('loom.tree_purge', { tree: doomed });
      writer.writeTogether([
        ['loom.tree_purge', { tree: doomed, confirm }],
        ['loom.node_create_external', { tree: kept, parent: kept, ...node }],
      ]);
      expect(existsSync(path)).toBe(true);
    }));

  test('keeps the outputs that the journal of a running or parked turn points at', () =>
    withWriter(async (writer) => {
      const [file, picture] = [store(writer, 'file'), store(writer, 'picture')];
      const image = { type: 'image' as const, ...IMAGE, sha256: picture.sha256 };
      const { tree: doomed } = await writer.plant(user('a'));
      const node = { tree: doomed, parent: doomed, external: withOutput(file.sha256) };
      writer.write('loom.node_create_external', { ...node, blocks: [image] });
      const running = await turnWithResult(writer, { external: withOutput(file.sha256), blocks: text('out') });
      const parked = await turnWithResult(writer, { external: ran('look'), blocks: [image] });
      const question = { kind: 'question' as const, question: 'which one?', options: ['left', 'right'] };
      writer.write('loom.turn_park', { turn: parked, questions: [{ ...question, call: OPEN_CALL }] });
      const { confirm } = writer.write('loom.tree_purge', { tree: doomed });
      writer.write('loom.tree_purge', { tree: doomed, confirm });
      expect([existsSync(file.path), existsSync(picture.path)]).toEqual([true, true]);
      const { nodes } = writer.write('loom.turn_commit_step', { turn: running });
      expect(nodes[1]).toMatchObject({ external: { output: { sha256: file.sha256 } } });
    }));

  test('removes the outputs that only its own journal and inputs point at', () =>
    withWriter(async (writer) => {
      const [file, picture, said] = [store(writer, 'file'), store(writer, 'picture'), store(writer, 'said')];
      const image = { type: 'image' as const, ...IMAGE, sha256: picture.sha256 };
      const turn = await turnWithResult(writer, { external: withOutput(file.sha256), blocks: [image] });
      const input = { id: writer.newId(), turn, kind: 'after' as const, blocks: [{ ...image, sha256: said.sha256 }] };
      writer.write('loom.input_add', input);
      const tree = treeOf(writer, turn);
      const { confirm, output_bytes } = writer.write('loom.tree_purge', { tree });
      expect(output_bytes).toBe('filepicturesaid'.length);
      writer.write('loom.tree_purge', { tree, confirm });
      expect([file, picture, said].map(({ path }) => existsSync(path))).toEqual([false, false, false]);
      expect(writer.store.all('SELECT * FROM loose_files')).toEqual([]);
    }));

  test('promises no bytes that a turn of another tree, or an output on its way, keeps', () =>
    withWriter(async (writer) => {
      const [file, leased] = [store(writer, 'file'), store(writer, 'leased')];
      const { tree } = await writer.plant(user('a'));
      const node = { tree, parent: tree, blocks: text('x') };
      writer.write('loom.node_create_external', { ...node, external: withOutput(file.sha256) });
      await turnWithResult(writer, { external: withOutput(file.sha256), blocks: text('out') });
      writer.lease(leased.sha256);
      const plan = writer.write('loom.tree_purge', { tree });
      expect(plan.output_bytes).toBe(0);
      writer.write('loom.tree_purge', { tree, confirm: plan.confirm });
      expect([file, leased].map(({ path }) => existsSync(path))).toEqual([true, true]);
    }));

  test('that was committed by a hub that was killed then is completed at the next start: outputs, logs, index', () =>
    withWriter(async (writer) => {
      const { sha256, path } = store(writer, 'left');
      const { tree } = await writer.plant(user('a'));
      writer.write('loom.node_create_external', { tree, parent: tree, blocks: [], external: withOutput(sha256) });
      const files = [`logs/${tree}.jsonl`, `logs/${tree}.jsonl.old`, 'search.db', 'search.db-wal'].map((name) =>
        join(writer.folder, name),
      );
      mkdirSync(join(writer.folder, 'logs'));
      for (const file of files) writeFileSync(file, SECRET);
      const other = join(writer.folder, 'logs', `${writer.newId()}.jsonl`);
      writeFileSync(other, 'kept');
      // As if it had been killed between the commit and the removal.
      writer.holdSweep(true);
      const { confirm } = writer.write('loom.tree_purge', { tree });
      writer.write('loom.tree_purge', { tree, confirm });
      expect([path, ...files].every((file) => existsSync(file))).toBe(true);
      writer.holdSweep(false);
      writer.restart();
      expect([path, ...files].filter((file) => existsSync(file))).toEqual([]);
      expect(existsSync(other)).toBe(true);
      expect(writer.store.all('SELECT * FROM loose_files')).toEqual([]);
    }));

  test('an output that no node has come for is removed a day later, at a start; one that a node came for stays', () =>
    withWriter(async (writer) => {
      const [lost, kept] = [store(writer, 'lost'), store(writer, 'kept')];
      const { tree } = await writer.plant(user('a'));
      for (const { sha256 } of [lost, kept]) writer.lease(sha256);
      writer.write('loom.node_create_external', { tree, parent: tree, blocks: [], external: withOutput(kept.sha256) });
      writer.restart();
      expect([lost, kept].map(({ path }) => existsSync(path))).toEqual([true, true]);
      writer.setClock(Date.UTC(2100, 0));
      writer.restart();
      expect([lost, kept].map(({ path }) => existsSync(path))).toEqual([false, true]);
    }));

  test('leaves nothing of an import that was given up', () =>
    withWriter((writer) => {
      const { sha256, path } = store(writer, 'given up');
      const tree = writer.newId();
      const origin = { id: tree, name: null, project: null, owner: null, created_at_ms: 1 };
      writer.write('loom.tree_import', { tree, records: [{ kind: 'tree', format: 1, tree: origin }], done: false });
      writer.store.run(
        "INSERT INTO nodes SELECT 99, x'00', tree, NULL, 0, 'root', 1, NULL, NULL, NULL, NULL, x'00', NULL, NULL, '', NULL, '[]', NULL, 0, NULL FROM trees",
      );
      writer.store.run('INSERT INTO node_outputs VALUES (99, ?)', Buffer.from(sha256, 'hex'));
      writer.setClock(Date.UTC(2100, 0));
      writer.restart();
      expect(existsSync(path)).toBe(false);
    }));

  test('does not undo or repeat the rest of its batch when an output cannot be removed', () =>
    withWriter(async (writer) => {
      const { sha256, path } = store(writer, 'stuck');
      const { tree } = await writer.plant(user('a'));
      writer.write('loom.node_create_external', { tree, parent: tree, blocks: [], external: withOutput(sha256) });
      rmSync(path);
      mkdirSync(path); // what cannot be removed as a file
      const { confirm } = writer.write('loom.tree_purge', { tree });
      const answers = writer.writeTogether([
        ['loom.tree_create', { name: 'beside' }],
        ['loom.tree_purge', { tree, confirm }],
      ]);
      expect(answers).toMatchObject([{ name: 'beside' }, { purged: true, node_count: 3 }]);
    }));

  test('confirmed again after a lost answer is still done', () =>
    withWriter(async (writer) => {
      const { tree } = await writer.plant(user('a'));
      const { confirm } = writer.write('loom.tree_purge', { tree });
      writer.write('loom.tree_purge', { tree, confirm });
      const seq = writer.feed.at(-1)?.seq;
      expect(writer.write('loom.tree_purge', { tree, confirm })).toMatchObject({
        purged: true,
        node_count: 0,
        owned: [],
      });
      expect(writer.feed.at(-1)?.seq).toBe(seq);
    }));
});
