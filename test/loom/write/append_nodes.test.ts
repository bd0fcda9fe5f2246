import { describe, expect, test } from 'vitest';
import { refusal } from '../../support/refusal.js';
import { answer, command, step, stepParts, text, user } from '../../support/trees.js';
import { withWriter } from '../../support/writer.js';

describe('appending a node', () => {
  test('a node has its parent, its depth and its number in the feed', () =>
    withWriter((writer) => {
      const { id: tree } = writer.write('loom.tree_create', { name: 'first' });
      const { node, branched } = writer.write('loom.node_create_text', {
        ...{ tree, parent: tree, role: 'user', blocks: text('hello') },
      });
      expect(node).toMatchObject({ tree, parent: tree, depth: 1, seq: 3, kind: 'text', role: 'user', step: null });
      expect(node.blocks).toEqual([{ type: 'text', text: 'hello' }]);
      expect(branched).toBe(false);
    }));

  test('the second child of a node is reported as a branch', () =>
    withWriter(async (writer) => {
      const { tree, ids } = await writer.plant(user('a', answer('b')));
      const second = writer.write('loom.node_create_text', {
        ...{ tree, parent: ids.a ?? '', role: 'assistant', blocks: text('c') },
      });
      expect(second.branched).toBe(true);
    }));

  test('the same id with the same arguments returns the first node and adds none', () =>
    withWriter((writer) => {
      const { id: tree } = writer.write('loom.tree_create', {});
      const params = { id: writer.newId(), tree, parent: tree, role: 'user' as const, blocks: text('once') };
      const first = writer.write('loom.node_create_text', params);
      writer.write('loom.node_create_text', { tree, parent: tree, role: 'user', blocks: text('between') });
      expect(writer.write('loom.node_create_text', params)).toEqual(first);
      expect(writer.feed.filter((entry) => entry.json.includes('node_created'))).toHaveLength(3);
    }));

  test.each([
    ['other text', { blocks: text('twice') }],
    ['another role', { role: 'assistant' as const }],
  ])('the same id with %s is a conflict', (_what, change) =>
    withWriter((writer) => {
      const { id: tree } = writer.write('loom.tree_create', {});
      const params = { id: writer.newId(), tree, parent: tree, role: 'user' as const, blocks: text('once') };
      writer.write('loom.node_create_text', params);
      expect(refusal(() => writer.write('loom.node_create_text', { ...params, ...change })).kind).toBe('conflict');
    }),
  );

  test('appending to a missing parent is refused', () =>
    withWriter((writer) => {
      const { id: tree } = writer.write('loom.tree_create', {});
      const parent = writer.newId();
      const error = refusal(() =>
        writer.write('loom.node_create_text', { tree, parent, role: 'user', blocks: text('x') }),
      );
      expect(error).toMatchObject({ kind: 'not_found', message: `there is no node ${parent}` });
    }));

  test('appending to a node of another tree is refused and names that tree', () =>
    withWriter(async (writer) => {
      const other = await writer.plant(user('theirs'));
      const mine = await writer.plant(user('mine'));
      const parent = other.ids.theirs ?? '';
      const error = refusal(() =>
        writer.write('loom.node_create_text', { tree: mine.tree, parent, role: 'user', blocks: text('x') }),
      );
      expect(error).toMatchObject({ kind: 'not_found', details: { tree: other.tree } });
    }));

  test('a message without text is refused, an empty answer of a model is kept', () =>
    withWriter((writer) => {
      const { id: tree } = writer.write('loom.tree_create', {});
      const place = { tree, parent: tree };
      const blank = () => writer.write('loom.node_create_text', { ...place, role: 'user', blocks: text(' \n') });
      expect(refusal(blank)).toMatchObject({ kind: 'invalid_params', message: 'a user message needs some text' });
      expect(writer.write('loom.node_create_text', { ...place, role: 'assistant', blocks: [] }).node.blocks).toEqual(
        [],
      );
    }));

  test('a text of many lines counts by its bytes, not by its escapes', () =>
    withWriter((writer) => {
      const { id: tree } = writer.write('loom.tree_create', {});
      const blocks = text('x\n'.repeat(4 * 1024 * 1024));
      const { node } = writer.write('loom.node_create_text', { tree, parent: tree, role: 'user', blocks });
      expect(node.blocks).toEqual(blocks);
    }));

  test('text that is too large for a node is refused with its size', () =>
    withWriter((writer) => {
      const { id: tree } = writer.write('loom.tree_create', {});
      const blocks = text('x'.repeat(9 * 1024 * 1024));
      const error = refusal(() => writer.write('loom.node_create_text', { tree, parent: tree, role: 'user', blocks }));
      expect(error.message).toBe('the text of this node has 9.0 MiB; a node holds at most 8.0 MiB');
    }));

  test('a node that points at a missing output is refused', () =>
    withWriter((writer) => {
      const { id: tree } = writer.write('loom.tree_create', {});
      const sha256 = 'ab'.repeat(32);
      const error = refusal(() =>
        writer.write('loom.node_create_text', {
          ...{ tree, parent: tree, role: 'user' },
          blocks: [{ type: 'image', sha256, media_type: 'image/png', width: 1, height: 1 }],
        }),
      );
      expect(error).toMatchObject({ kind: 'not_found', message: `there is no stored output ${sha256}` });
    }));

  test('an external node outside a step answers no call', () =>
    withWriter(async (writer) => {
      const { tree, ids } = await writer.plant(user('a', command('ls')));
      const { external } = JSON.parse(writer.feed.at(-1)?.json ?? '').node;
      const place = { tree, parent: ids.ls ?? '', blocks: text('x') };
      const answering = { ...external, call: { ...external.call, id: 'call-1' } };
      const error = refusal(() => writer.write('loom.node_create_external', { ...place, external: answering }));
      expect(error.kind).toBe('invalid_params');
    }));
});

describe('a step', () => {
  test('has its nodes in the order of the calls, each with its index', () =>
    withWriter((writer) => {
      const { id: tree } = writer.write('loom.tree_create', {});
      const { blocks, calls } = stepParts('look', ['ls', 'pwd']);
      const { nodes } = writer.write('loom.step_create', { tree, parent: tree, blocks, calls });
      const top = nodes[0]?.id;
      expect(nodes.map((node) => [node.role, node.parent, node.step])).toEqual([
        ['assistant', tree, { id: top, index: 0, size: 3 }],
        ['tool', nodes[0]?.id, { id: top, index: 1, size: 3 }],
        ['tool', nodes[1]?.id, { id: top, index: 2, size: 3 }],
      ]);
    }));

  test('appending inside it is refused and names its end', () =>
    withWriter(async (writer) => {
      const { tree, ids } = await writer.plant(user('a', step('look', ['ls', 'pwd'])));
      for (const inside of ['look', 'ls']) {
        const error = refusal(() =>
          writer.write('loom.node_create_text', {
            ...{ tree, parent: ids[inside] ?? '', role: 'user', blocks: text('x') },
          }),
        );
        expect(error).toMatchObject({ kind: 'inside_step', details: { step_end: ids.pwd } });
      }
      const after = { tree, parent: ids.pwd ?? '', role: 'user' as const, blocks: text('x') };
      expect(writer.write('loom.node_create_text', after).node.parent).toBe(ids.pwd);
    }));

  test('a retry with the same ids returns the first step', () =>
    withWriter((writer) => {
      const { id: tree } = writer.write('loom.tree_create', {});
      const { blocks, calls } = stepParts('look', ['ls']);
      const params = {
        ...{ tree, parent: tree, blocks, id: writer.newId() },
        calls: calls.map((call) => ({ ...call, id: writer.newId() })),
      };
      const first = writer.write('loom.step_create', params);
      expect(writer.write('loom.step_create', params)).toEqual(first);
      const changed = { ...params, blocks: [...text('other'), ...blocks.slice(1)] };
      expect(refusal(() => writer.write('loom.step_create', changed)).kind).toBe('conflict');
    }));

  test('a result that answers no call, or is out of order, is refused', () =>
    withWriter((writer) => {
      const { id: tree } = writer.write('loom.tree_create', {});
      const { blocks, calls } = stepParts('look', ['ls', 'pwd']);
      const swapped = { tree, parent: tree, blocks, calls: [...calls].reverse() };
      expect(refusal(() => writer.write('loom.step_create', swapped)).kind).toBe('invalid_params');
      const unasked = { tree, parent: tree, blocks: blocks.slice(0, 2), calls };
      expect(refusal(() => writer.write('loom.step_create', unasked)).message).toBe(
        'calls.1 answers call-look-1, but the message makes no such call at that place',
      );
      expect(writer.store.get('SELECT count(*) AS n FROM nodes')).toEqual({ n: 1 });
    }));
});
