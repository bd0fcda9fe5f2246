import { describe, expect, test } from 'vitest';
import { cliCommand } from '../../../hub/base/hint.js';
import { refusal } from '../../support/refusal.js';
import { answer, text, user } from '../../support/trees.js';
import { withWriter } from '../../support/writer.js';

describe('a tree', () => {
  test('begins with a root of the same id', () =>
    withWriter((writer) => {
      const tree = writer.write('loom.tree_create', { name: 'plans', project: '/project' });
      expect(tree).toMatchObject({
        ...{ name: 'plans', title: '', project: '/project', owner: null, archived_at_ms: null },
        ...{ node_count: 1, message_count: 0, branch_count: 1, last_seq: 2 },
      });
      const kinds = writer.feed.map((entry) => JSON.parse(entry.json)).map(({ kind, node }) => [kind, node?.id]);
      expect(kinds).toEqual([
        ['tree_created', undefined],
        ['node_created', tree.id],
      ]);
    }));

  test('the same id with the same arguments makes one tree, with others it is a conflict', () =>
    withWriter((writer) => {
      const params = { id: writer.newId(), name: 'one' };
      const first = writer.write('loom.tree_create', params);
      expect(writer.write('loom.tree_create', params)).toEqual(first);
      expect(refusal(() => writer.write('loom.tree_create', { ...params, name: 'two' })).kind).toBe('conflict');
    }));

  test('a retry returns the tree even when it has been renamed meanwhile', () =>
    withWriter((writer) => {
      const params = { id: writer.newId(), name: 'one' };
      writer.write('loom.tree_create', params);
      writer.write('loom.tree_update', { tree: params.id, name: 'two' });
      expect(writer.write('loom.tree_create', params).name).toBe('two');
    }));

  test('its name is unique among trees that are not archived', () =>
    withWriter((writer) => {
      const first = writer.write('loom.tree_create', { name: 'one' });
      expect(refusal(() => writer.write('loom.tree_create', { name: 'one' }))).toMatchObject({
        ...{ kind: 'conflict', message: 'there is a tree named "one" already' },
      });
      writer.write('loom.tree_archive', { tree: first.id });
      writer.write('loom.tree_create', { name: 'one' });
      expect(writer.write('loom.tree_restore', { tree: first.id }).name).toBe('one (2)');
    }));

  test('counts messages and branches as they come, and takes its title from the first message', () =>
    withWriter(async (writer) => {
      const { tree } = await writer.plant(user('first  words\nhere', answer('b', user('c')), answer('d')));
      expect(writer.write('loom.tree_update', { tree, name: null })).toMatchObject({
        ...{ title: 'first words here', node_count: 5, message_count: 4, branch_count: 2 },
      });
    }));

  test('an archived one is not changed, and the refusal says how to restore it', () =>
    withWriter((writer) => {
      const { id: tree } = writer.write('loom.tree_create', { name: 'old' });
      writer.write('loom.tree_archive', { tree });
      const append = () =>
        writer.write('loom.node_create_text', { tree, parent: tree, role: 'user', blocks: text('x') });
      expect(refusal(append)).toMatchObject({
        kind: 'archived',
        hint: ['run: ', cliCommand('restore', tree.slice(0, 8))],
      });
      expect(refusal(() => writer.write('loom.tree_update', { tree, name: 'new' })).kind).toBe('archived');
    }));
});

describe('an archived branch', () => {
  test('hides its leaves from the count and takes no nodes, until it is restored', () =>
    withWriter(async (writer) => {
      const { tree, ids } = await writer.plant(user('a', answer('b', user('c')), answer('d')));
      const top = ids.b ?? '';
      expect(writer.write('loom.branch_archive', { tree, node: top }).branch_count).toBe(1);
      const append = () =>
        writer.write('loom.node_create_text', { tree, parent: ids.c ?? '', role: 'user', blocks: text('x') });
      expect(refusal(append)).toMatchObject({ kind: 'archived', details: { top } });
      expect(writer.write('loom.branch_restore', { tree, node: top }).branch_count).toBe(2);
      expect(append().branched).toBe(false);
    }));

  test('a node whose children are all archived is a leaf again', () =>
    withWriter(async (writer) => {
      const { tree, ids } = await writer.plant(user('a', answer('b')));
      expect(writer.write('loom.branch_archive', { tree, node: ids.b ?? '' }).branch_count).toBe(1);
      const other = { tree, parent: ids.a ?? '', role: 'assistant' as const, blocks: text('c') };
      expect(writer.write('loom.node_create_text', other).branched).toBe(true);
      expect(writer.write('loom.tree_update', { tree, name: null }).branch_count).toBe(1);
    }));

  test('the root is not one', () =>
    withWriter((writer) => {
      const { id: tree } = writer.write('loom.tree_create', {});
      expect(refusal(() => writer.write('loom.branch_archive', { tree, node: tree })).kind).toBe('invalid_params');
    }));
});

describe('a mark', () => {
  test('is set, moved and removed, each with one event', () =>
    withWriter(async (writer) => {
      const { tree, ids } = await writer.plant(user('a', answer('b')));
      const at = (node: string | undefined) =>
        writer.write('loom.mark_set', { tree, name: 'here', node: node ?? null });
      expect(at(ids.a).mark).toMatchObject({ name: 'here', node: ids.a });
      expect(at(ids.a)).toEqual(at(ids.a));
      expect(at(ids.b).mark?.node).toBe(ids.b);
      expect(at(undefined).mark).toBeNull();
      at(undefined);
      const told = writer.feed.map((entry) => JSON.parse(entry.json).kind).filter((kind) => kind.startsWith('mark'));
      expect(told).toEqual(['mark_set', 'mark_set', 'mark_removed']);
    }));
});
