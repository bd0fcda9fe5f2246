import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ResultOf } from '../../../hub/protocol/methods/method_table.js';
import { NodeId, Sha256, TreeId, TurnId } from '../../../hub/protocol/node.js';
import { outputPath } from '../../../loom/outputs/output_path.js';
import { type TestReader, withReader } from '../../support/reader.js';
import { refusal } from '../../support/refusal.js';
import { stepParts, text, user } from '../../support/trees.js';
import { type TestWriter, withWriter } from '../../support/writer.js';

async function runningTurn(writer: TestWriter) {
  const { tree, ids } = await writer.plant(user('go'));
  const parent = NodeId.parse(ids.go);
  const turn = TurnId.parse(writer.newId());
  writer.write('loom.turn_start', { id: turn, tree: TreeId.parse(tree), node: parent });
  const add = (words: string, kind: 'steer' | 'after' = 'steer') =>
    writer.write('loom.input_add', { id: NodeId.parse(writer.newId()), turn, kind, blocks: said(words) });
  return { tree: TreeId.parse(tree), parent, turn, add };
}

const said = (words: string) => [{ type: 'text' as const, text: words }];

function image(writer: TestWriter, bytes: string) {
  const sha256 = Sha256.parse(createHash('sha256').update(bytes).digest('hex'));
  const path = outputPath(join(writer.folder, 'outputs'), sha256);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
  const block = { type: 'image' as const, sha256, media_type: 'image/png' as const, width: 1, height: 1 };
  return { path, block };
}

const wordsOf = (block: { type: string; text?: string }) => block.text ?? block.type;

const shown = async ({ read }: TestReader, turn: TurnId, limit = 100) => {
  const lines: string[] = [];
  for (let cursor: string | null = null, isFirst = true; isFirst || cursor !== null; isFirst = false) {
    const page: ResultOf<'loom.input_list'> = await read('loom.input_list', { turn, cursor, limit });
    for (const { blocks, state } of page.inputs) lines.push(`${state} ${blocks.map(wordsOf).join('')}`);
    cursor = page.cursor;
  }
  return lines;
};

describe('an input', () => {
  test('waits until the turn takes it, and is then the user node of the same id', () =>
    withReader(async (reader, writer) => {
      const { turn, parent, tree, add } = await runningTurn(writer);
      const input = add('faster 数据');
      expect(input).toMatchObject({ turn, kind: 'steer', state: 'pending', node: null, blocks: said('faster 数据') });
      const { node } = writer.write('loom.input_take', { turn, input: input.id, parent });
      expect(node).toMatchObject({ id: input.id, tree, parent, role: 'user', blocks: said('faster 数据') });
      const { inputs } = await reader.read('loom.input_list', { turn });
      expect(inputs).toEqual([{ ...input, state: 'taken', node: input.id }]);
      const { nodes } = await reader.read('loom.context_get_path', { node: input.id });
      expect(nodes.at(-1)).toEqual(node);
      expect(await reader.read('loom.fsck', {})).toMatchObject({ problems: [] });
    }));

  test('is the tip of its turn once taken, and is pending no more', () =>
    withReader(async (reader, writer) => {
      const { turn, parent, add } = await runningTurn(writer);
      const [first, second] = [add('one'), add('two', 'after')];
      writer.write('loom.input_take', { turn, input: first.id, parent });
      expect(await reader.read('loom.turn_get', { turn })).toMatchObject({
        turn: { id: turn, tip: first.id, state: 'running' },
        inputs: [{ id: second.id, state: 'pending', kind: 'after' }],
      });
    }));

  test('is added once by a retry, and under its id nothing else is', () =>
    withWriter(async (writer) => {
      const { turn } = await runningTurn(writer);
      const params = { id: NodeId.parse(writer.newId()), turn, kind: 'steer' as const, blocks: said('x') };
      const first = writer.write('loom.input_add', params);
      expect(writer.write('loom.input_add', params)).toEqual(first);
      for (const change of [{ kind: 'after' as const }, { blocks: said('y') }]) {
        expect(refusal(() => writer.write('loom.input_add', { ...params, ...change })).kind).toBe('conflict');
      }
      writer.write('loom.turn_end', { turn, state: 'done' });
      expect(writer.write('loom.input_add', params)).toEqual(first);
    }));

  test('is taken once by a retry, and nowhere else', () =>
    withWriter(async (writer) => {
      const { tree, turn, parent, add } = await runningTurn(writer);
      const { id } = add('x');
      const first = writer.write('loom.input_take', { turn, input: id, parent });
      expect(writer.write('loom.input_take', { turn, input: id, parent })).toEqual(first);
      const elsewhere = NodeId.parse(tree);
      expect(refusal(() => writer.write('loom.input_take', { turn, input: id, parent: elsewhere })).kind).toBe(
        'conflict',
      );
      writer.write('loom.turn_end', { turn, state: 'done' });
      expect(writer.write('loom.input_take', { turn, input: id, parent })).toEqual(first);
    }));

  test('is refused by a turn that has ended, with the tip to continue from', () =>
    withWriter(async (writer) => {
      const { turn, parent, add } = await runningTurn(writer);
      writer.write('loom.turn_end', { turn, state: 'done' });
      const error = refusal(() => add('too late'));
      expect(error.message).toBe(`turn ${turn} has ended (done), so it takes nothing more`);
      expect(error.data).toMatchObject({
        kind: 'conflict',
        hint: 'append a user node below its tip and start another turn there',
        details: { tip: parent },
      });
    }));

  test('that shares a commit with the end of its turn is kept when it came before, and refused after it', () =>
    withReader(async (reader, writer) => {
      const { turn } = await runningTurn(writer);
      const added = () => ({ id: writer.newId(), turn, kind: 'steer', blocks: said('x') });
      const answers = writer.writeTogether([
        ['loom.input_add', added()],
        ['loom.turn_end', { turn, state: 'done' }],
        ['loom.input_add', added()],
      ]);
      expect(answers).toMatchObject([{ state: 'pending' }, { state: 'done' }, { kind: 'conflict' }]);
      expect((await reader.read('loom.turn_get', { turn })).inputs).toEqual([answers[0]]);
    }));

  test('is not taken while a step is under way: it would make a branch', () =>
    withWriter(async (writer) => {
      const { turn, parent, add } = await runningTurn(writer);
      const { id } = add('x');
      const { blocks } = stepParts('look', []);
      const step = NodeId.parse(writer.newId());
      writer.write('loom.turn_record_answer', { turn, parent, id: step, blocks, settings: null, calls: [] });
      const error = refusal(() => writer.write('loom.input_take', { turn, input: id, parent }));
      expect(error.message).toBe(`turn ${turn} has a step under way`);
      writer.write('loom.turn_commit_step', { turn });
      expect(writer.write('loom.input_take', { turn, input: id, parent: step }).node.parent).toBe(step);
    }));

  test('is kept when its tree was archived meanwhile', () =>
    withWriter(async (writer) => {
      const { tree, turn, parent, add } = await runningTurn(writer);
      const { id } = add('x');
      writer.write('loom.tree_archive', { tree });
      expect(writer.write('loom.input_take', { turn, input: id, parent }).node.id).toBe(id);
    }));
});

describe('input that could not become a node is refused before it is acknowledged:', () => {
  test('a blank text, an id of a node, an image that is not stored, a text that is too large', () =>
    withWriter(async (writer) => {
      const { turn, parent } = await runningTurn(writer);
      const params = { id: NodeId.parse(writer.newId()), turn, kind: 'steer' as const, blocks: said('x') };
      const kindOf = (change: object) => refusal(() => writer.write('loom.input_add', { ...params, ...change })).kind;
      const { block, path } = image(writer, 'picture');
      rmSync(path);
      expect(kindOf({ blocks: said(' \n') })).toBe('invalid_params');
      expect(kindOf({ id: parent })).toBe('conflict');
      expect(kindOf({ blocks: [block] })).toBe('not_found');
      expect(kindOf({ blocks: said('x'.repeat(9 * 1024 * 1024)) })).toBe('invalid_params');
      expect(kindOf({ turn: TurnId.parse(writer.newId()) })).toBe('not_found');
      expect(writer.store.all('SELECT * FROM inputs')).toEqual([]);
    }));

  test('a hundred and first one, until a pending one is taken', () =>
    withWriter(async (writer) => {
      const { turn, parent, add } = await runningTurn(writer);
      const first = add('0');
      for (let count = 1; count < 100; count++) add(String(count));
      expect(refusal(() => add('100')).data).toMatchObject({ kind: 'limit', retryable: true });
      writer.write('loom.input_take', { turn, input: first.id, parent });
      expect(add('100').state).toBe('pending');
    }));

  test('inputs that together exceed one answer, though a single one may have any size', () =>
    withWriter(async (writer) => {
      const { turn, parent, add } = await runningTurn(writer);
      const large = () => add('"'.repeat(7 * 1024 * 1024));
      const first = large();
      expect(refusal(large).kind).toBe('limit');
      writer.write('loom.input_take', { turn, input: first.id, parent });
      const second = large();
      const params = { turn, inputs: [first.id, second.id] };
      expect(refusal(() => writer.write('loom.input_drop', params)).kind).toBe('limit');
      expect(writer.write('loom.input_drop', { turn, inputs: [second.id] }).inputs[0]?.state).toBe('dropped');
    }));
});

describe('inputs that were not sent', () => {
  test('become messages below the tip of their turn when the hub dies, in their order', () =>
    withReader(async (reader, writer) => {
      const { turn, parent, add } = await runningTurn(writer);
      const [sent, later, back, steer] = [add('sent'), add('later', 'after'), add('back'), add('steer')];
      writer.write('loom.input_take', { turn, input: sent.id, parent });
      writer.write('loom.input_drop', { turn, inputs: [back.id] });
      writer.restart();
      expect(await reader.read('loom.turn_get', { turn })).toEqual({
        turn: expect.objectContaining({ state: 'interrupted', tip: steer.id }),
        ...{ inputs: [], questions: [], parked: null },
      });
      const { nodes } = await reader.read('loom.context_get_path', { node: steer.id });
      expect(nodes.slice(-3).map(({ id, role, blocks }) => [id, role, blocks])).toEqual([
        [sent.id, 'user', said('sent')],
        [later.id, 'user', said('later')],
        [steer.id, 'user', said('steer')],
      ]);
      const params = { turn, inputs: [sent.id, later.id, back.id, steer.id] };
      const given = writer.write('loom.input_drop', params).inputs;
      expect(given.map(({ state }) => state)).toEqual(['taken', 'taken', 'dropped', 'taken']);
      writer.restart();
      expect(writer.write('loom.input_drop', params).inputs).toEqual(given);
    }));

  test('can be taken back while the turn runs, and once more when the answer was lost', () =>
    withReader(async (reader, writer) => {
      const { turn, parent, add } = await runningTurn(writer);
      const [sent, waiting] = [add('sent'), add('waiting', 'after')];
      writer.write('loom.input_take', { turn, input: sent.id, parent });
      const params = { turn, inputs: [sent.id, waiting.id] };
      const given = writer.write('loom.input_drop', params).inputs;
      expect(given.map(({ state, blocks }) => [state, blocks])).toEqual([
        ['taken', said('sent')],
        ['dropped', said('waiting')],
      ]);
      expect(writer.write('loom.input_drop', params).inputs).toEqual(given);
      expect((await reader.read('loom.turn_get', { turn })).inputs).toEqual([]);
    }));

  test('are not taken any more, and the others stay pending when one id is unknown', () =>
    withWriter(async (writer) => {
      const { turn, parent, add } = await runningTurn(writer);
      const [back, kept] = [add('back'), add('kept')];
      writer.write('loom.input_drop', { turn, inputs: [back.id] });
      expect(refusal(() => writer.write('loom.input_take', { turn, input: back.id, parent })).kind).toBe('conflict');
      const unknown = { turn, inputs: [kept.id, parent] };
      expect(refusal(() => writer.write('loom.input_drop', unknown)).kind).toBe('not_found');
      expect(writer.write('loom.input_take', { turn, input: kept.id, parent }).node.id).toBe(kept.id);
    }));

  test('of another turn are unknown to this one', () =>
    withWriter(async (writer) => {
      const [one, other] = [await runningTurn(writer), await runningTurn(writer)];
      const input = one.add('x');
      const params = { turn: other.turn, input: input.id, parent: other.parent };
      expect(refusal(() => writer.write('loom.input_take', params)).message).toBe(
        `turn ${other.turn} has no input ${input.id}`,
      );
    }));
});

test.each([1, 2, 3, 100])('a list in pages of %i has the pending inputs first, each part in order', (limit) =>
  withReader(async (reader, writer) => {
    const { turn, parent, add } = await runningTurn(writer);
    const [a, b] = [add('a'), add('b')];
    for (const words of ['c', 'd', 'e']) add(words);
    writer.write('loom.input_take', { turn, input: b.id, parent });
    writer.write('loom.input_drop', { turn, inputs: [a.id] });
    const lines = ['pending c', 'pending d', 'pending e', 'dropped a', 'taken b'];
    expect(await shown(reader, turn, limit)).toEqual(lines);
  }),
);

test('a foreign cursor and an unknown turn are refused', () =>
  withReader(async ({ read }, writer) => {
    const { turn } = await runningTurn(writer);
    await expect(read('loom.input_list', { turn, cursor: 'pending-x' })).rejects.toMatchObject({
      data: { kind: 'invalid_params' },
    });
    const unknown = TurnId.parse(writer.newId());
    await expect(read('loom.turn_get', { turn: unknown })).rejects.toMatchObject({ data: { kind: 'not_found' } });
  }));

test('a purge of a tree deletes its inputs, and keeps an image of a pending input of another tree', () =>
  withWriter(async (writer) => {
    const [doomed, kept] = [await runningTurn(writer), await runningTurn(writer)];
    const { block, path } = image(writer, 'picture');
    const params = { kind: 'steer' as const, blocks: [block] };
    const id = () => NodeId.parse(writer.newId());
    doomed.add('gone');
    const blocks = [block, ...text('see')];
    const parent = doomed.parent;
    writer.write('loom.node_create_text', { tree: doomed.tree, parent, role: 'user', blocks });
    const waiting = writer.write('loom.input_add', { ...params, id: id(), turn: kept.turn });
    const { confirm } = writer.write('loom.tree_purge', { tree: doomed.tree });
    writer.write('loom.tree_purge', { tree: doomed.tree, confirm });
    expect(existsSync(path)).toBe(true);
    expect(writer.store.all('SELECT lower(hex(id)) AS id FROM inputs')).toEqual([
      { id: waiting.id.replaceAll('-', '') },
    ]);
    writer.write('loom.input_take', { turn: kept.turn, input: waiting.id, parent: kept.parent });
  }));
