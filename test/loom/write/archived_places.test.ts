import { describe, expect, test } from 'vitest';
import { NodeId, TreeId } from '../../../hub/protocol/node.js';
import { MIGRATIONS } from '../../../loom/store/schema.js';
import { withReader } from '../../support/reader.js';
import { refusal } from '../../support/refusal.js';
import { answer, ran, step, stepParts, text, user } from '../../support/trees.js';
import { type TestWriter, withWriter } from '../../support/writer.js';

const planted = async (writer: TestWriter) => {
  const { tree, ids } = await writer.plant(user('a', answer('b', user('c')), step('look', ['ls', 'pwd'])));
  return { tree: TreeId.parse(tree), id: (name: string) => NodeId.parse(ids[name]) };
};

describe('before work begins in an archived place it is refused', () => {
  test('by the error of an append there: in a tree, in a branch, inside a step', () =>
    withWriter(async (writer) => {
      const { tree, id } = await planted(writer);
      const check = (node: NodeId) => writer.write('loom.node_check', { tree, node });
      expect(check(id('c')).begun_at_ms).toBeGreaterThan(0);
      expect(refusal(() => check(id('ls')))).toMatchObject({ kind: 'inside_step', details: { step_end: id('pwd') } });
      writer.write('loom.branch_archive', { tree, node: id('b') });
      expect(refusal(() => check(id('c')))).toMatchObject({ kind: 'archived', details: { top: id('b') } });
      expect(check(id('a'))).toBeDefined();
      writer.write('loom.tree_archive', { tree });
      expect(refusal(() => check(id('a'))).kind).toBe('archived');
    }));

  test('as a sub-session of it, unless an open turn of it asks for one', () =>
    withWriter(async (writer) => {
      const { tree, id } = await planted(writer);
      const turn = writer.newId();
      writer.write('loom.turn_start', { id: turn, tree, node: id('c') });
      writer.write('loom.branch_archive', { tree, node: id('b') });
      writer.write('loom.tree_archive', { tree });
      const create = () => writer.write('loom.tree_create', { owner: { tree, node: writer.newId() } });
      expect(create().owner).toMatchObject({ tree });
      writer.write('loom.turn_end', { turn, state: 'done' });
      expect(refusal(create).kind).toBe('archived');
      writer.write('loom.tree_restore', { tree });
      expect(create().owner).toMatchObject({ tree });
      const below = () => writer.write('loom.tree_create', { owner: { tree, node: id('c') } });
      expect(refusal(below)).toMatchObject({ kind: 'archived', details: { top: id('b') } });
    }));
});

describe('what began before its place was archived ends there', () => {
  test('as a command, which is told from one that began later', () =>
    withReader(async (reader, writer) => {
      const { tree, id } = await planted(writer);
      const { begun_at_ms } = writer.write('loom.node_check', { tree, node: id('b') });
      writer.write('loom.branch_archive', { tree, node: id('b') });
      writer.write('loom.tree_archive', { tree });
      const add = (begun: number | null) =>
        writer.write('loom.node_create_external', {
          ...{ tree, parent: id('b'), blocks: text('out'), external: ran('ls'), begun_at_ms: begun },
        });
      expect(refusal(() => add(null)).kind).toBe('archived');
      expect(refusal(() => add(begun_at_ms + 1_000_000)).kind).toBe('archived');
      expect(add(begun_at_ms).branched).toBe(true);
      writer.write('loom.tree_restore', { tree });
      expect(refusal(() => add(begun_at_ms + 1_000_000))).toMatchObject({
        kind: 'archived',
        details: { top: id('b') },
      });
      // A branch that grows where it is hidden is not counted.
      expect(await reader.read('loom.fsck', {})).toMatchObject({ problems: [] });
    }));

  test('as a turn: its answer, its summary, and what was said to it', () =>
    withWriter(async (writer) => {
      const { tree, id } = await planted(writer);
      const turn = writer.newId();
      writer.write('loom.turn_start', { id: turn, tree, node: id('c') });
      const said = writer.write('loom.input_add', {
        ...{ id: writer.newId(), turn, kind: 'after', blocks: [{ type: 'text', text: 'more' }] },
      });
      writer.write('loom.tree_archive', { tree });
      const node = (parent: string, role: 'user' | 'summary', own: string = writer.newId()) =>
        writer.write('loom.node_create_text', { id: own, tree, parent, role, blocks: text('x'), turn });
      const { blocks } = stepParts('paid', []);
      const paid = writer.newId();
      writer.write('loom.turn_record_answer', { turn, parent: id('c'), id: paid, blocks, settings: null, calls: [] });
      writer.write('loom.turn_commit_step', { turn });
      expect(refusal(() => node(id('a'), 'summary')).kind).toBe('archived');
      const summary = node(paid, 'summary').node;
      writer.write('loom.turn_end', { turn, state: 'done' });
      expect(refusal(() => node(summary.id, 'user')).kind).toBe('archived');
      expect(node(summary.id, 'user', said.id).node.id).toBe(said.id);
    }));
});

describe('a step is archived and restored whole', () => {
  test('whichever of its nodes is named, and a leaf is never inside one', () =>
    withReader(async (reader, writer) => {
      const { tree, id } = await planted(writer);
      for (const named of ['look', 'ls', 'pwd'].map(id)) {
        expect(writer.write('loom.branch_archive', { tree, node: named }).branch_count).toBe(1);
        const { nodes } = await reader.read('loom.tree_get_skeleton', { tree, archived: true });
        expect(nodes.filter((node) => node.archived).map((node) => node.id)).toEqual([id('look')]);
        const { leaves } = await reader.read('loom.context_list_leaves', { tree });
        expect(leaves.map(({ node }) => node.id)).toEqual([id('c')]);
        expect(writer.write('loom.branch_restore', { tree, node: named }).branch_count).toBe(2);
      }
      const told = writer.feed.map(({ json }) => JSON.parse(json)).filter(({ kind }) => /^branch_/.test(kind));
      expect(new Set(told.map(({ node }) => node))).toEqual(new Set([id('look')]));
    }));

  test('where an earlier version has cut one in half', () =>
    withReader(async (reader, writer) => {
      const { tree, id } = await planted(writer);
      const cut =
        'INSERT INTO archived_rows (node, tree, archived_at_ms) SELECT seq, tree, 1 FROM nodes WHERE id IN (?, ?)';
      writer.store.run(cut, blobOf(id('ls')), blobOf(id('pwd')));
      writer.store.exec(`DROP VIEW archived_branches; ALTER TABLE archived_rows RENAME TO archived_branches`);
      writer.store.exec(MIGRATIONS[WHOLE_STEPS] ?? '');
      writer.store.exec(`ALTER TABLE archived_branches RENAME TO archived_rows;
        CREATE VIEW archived_branches AS SELECT node, tree, archived_at_ms FROM archived_rows`);
      const { nodes } = await reader.read('loom.tree_get_skeleton', { tree, archived: true });
      expect(nodes.filter((node) => node.archived).map((node) => node.id)).toEqual([id('look')]);
      expect(await reader.read('loom.fsck', {})).toMatchObject({ problems: [] });
    }));
});

/** The migration that makes them whole. */
const WHOLE_STEPS = 3;

function blobOf(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}
