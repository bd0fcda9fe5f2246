import { describe, expect, test } from 'vitest';
import { refusal } from '../../support/refusal.js';
import { ran, stepParts, text, user } from '../../support/trees.js';
import { type TestWriter, withWriter } from '../../support/writer.js';

/** A turn at the only node of a tree, with a step of two calls under way of which the first has finished. */
async function halfStep(writer: TestWriter) {
  const { tree, ids } = await writer.plant(user('go'));
  const parent = ids.go ?? '';
  const turn = writer.newId();
  writer.write('loom.turn_start', { id: turn, tree, node: parent });
  const { blocks } = stepParts('look', ['ls', 'pwd']);
  const calls = ['call-look-0', 'call-look-1'].map((call) => ({ call, id: writer.newId() }));
  const answer = { turn, parent, id: writer.newId(), blocks, settings: null, calls };
  writer.write('loom.turn_record_answer', answer);
  const result = { turn, call: 'call-look-0', blocks: text('out'), external: ran('ls', 'call-look-0') };
  writer.write('loom.turn_record_result', result);
  return { tree, parent, turn, answer, result };
}

const roles = (writer: TestWriter) =>
  writer.store.all<{ role: string }>('SELECT role FROM nodes ORDER BY seq').map((row) => row.role);

describe('the journal of a turn', () => {
  test('shows no node until the step is committed, then all of them', () =>
    withWriter(async (writer) => {
      const { turn, answer } = await halfStep(writer);
      writer.write('loom.turn_record_result', {
        ...{ turn, call: 'call-look-1', blocks: text('out'), external: ran('pwd', 'call-look-1') },
      });
      expect(roles(writer)).toEqual(['root', 'user']);
      const { nodes } = writer.write('loom.turn_commit_step', { turn });
      expect(nodes.map((node) => node.id)).toEqual([answer.id, ...answer.calls.map((call) => call.id)]);
      expect(writer.write('loom.turn_end', { turn, state: 'done' })).toMatchObject({
        state: 'done',
        tip: nodes[2]?.id,
      });
      expect(writer.store.all('SELECT * FROM turn_journal')).toEqual([]);
    }));

  test('becomes a step whose unfinished call is interrupted when the hub dies', () =>
    withWriter(async (writer) => {
      const { answer } = await halfStep(writer);
      writer.restart();
      expect(roles(writer)).toEqual(['root', 'user', 'assistant', 'tool', 'tool']);
      const blocks = writer.store.all<{ blocks: string }>("SELECT blocks FROM nodes WHERE role = 'tool' ORDER BY seq");
      expect(blocks.map((row) => JSON.parse(row.blocks)[0].text)).toEqual([
        'out',
        'interrupted: this call did not finish, and what it did is not known',
      ]);
      const step = { turn: answer.turn, state: 'done' as const };
      expect(writer.write('loom.turn_end', step)).toMatchObject({ state: 'interrupted', tip: answer.calls[1]?.id });
    }));

  test('is kept even when its tree was archived meanwhile', () =>
    withWriter(async (writer) => {
      const { tree } = await halfStep(writer);
      writer.write('loom.tree_archive', { tree });
      writer.restart();
      expect(roles(writer)).toEqual(['root', 'user', 'assistant', 'tool', 'tool']);
    }));

  test('does not keep the hub from starting when it cannot become a step any more', () =>
    withWriter(async (writer) => {
      const { tree, parent, answer, turn } = await halfStep(writer);
      writer.write('loom.node_create_text', { id: answer.calls[0]?.id, tree, parent, role: 'user', blocks: text('x') });
      writer.restart();
      expect(roles(writer)).toEqual(['root', 'user', 'user']);
      expect(writer.write('loom.turn_end', { turn, state: 'done' }).state).toBe('failed');
    }));

  test('takes a retry once and refuses another answer under it', () =>
    withWriter(async (writer) => {
      const { answer, result } = await halfStep(writer);
      writer.write('loom.turn_record_answer', answer);
      writer.write('loom.turn_record_result', result);
      const other = refusal(() => writer.write('loom.turn_record_result', { ...result, blocks: text('else') }));
      expect(other.kind).toBe('conflict');
      expect(refusal(() => writer.write('loom.turn_record_answer', { ...answer, blocks: [], calls: [] })).kind).toBe(
        'conflict',
      );
    }));

  test('refuses a result of an unknown call, and everything after the end', () =>
    withWriter(async (writer) => {
      const { result, turn } = await halfStep(writer);
      const unasked = { ...result, call: 'call-x', external: ran('x', 'call-x') };
      expect(refusal(() => writer.write('loom.turn_record_result', unasked)).kind).toBe('invalid_params');
      writer.write('loom.turn_end', { turn, state: 'stopped' });
      expect(refusal(() => writer.write('loom.turn_record_result', result)).message).toBe(
        `turn ${turn} has ended (stopped)`,
      );
    }));

  test('a node that is appended beside a step under way makes a branch', () =>
    withWriter(async (writer) => {
      const { tree, parent, turn } = await halfStep(writer);
      writer.write('loom.node_create_text', { tree, parent, role: 'user', blocks: text('meanwhile') });
      expect(writer.write('loom.turn_commit_step', { turn }).nodes).toHaveLength(3);
      expect(writer.write('loom.tree_update', { tree, name: null }).branch_count).toBe(2);
    }));
});

describe('data that could not become a step is refused before it is journalled:', () => {
  test.each([
    ['an id of a node', (ids: string[]) => ({ id: ids[0] ?? '' }), 'conflict'],
    ['settings that are not there', () => ({ settings: 'a'.repeat(64) }), 'not_found'],
    ['a text that is too large', () => ({ blocks: text('x'.repeat(9 * 1024 * 1024)) }), 'invalid_params'],
  ])('an answer with %s', (_what, change, kind) =>
    withWriter(async (writer) => {
      const { tree, ids } = await writer.plant(user('go'));
      const parent = ids.go ?? '';
      const turn = writer.newId();
      writer.write('loom.turn_start', { id: turn, tree, node: parent });
      const answer = { turn, parent, id: writer.newId(), blocks: text('look'), settings: null, calls: [] };
      const record = () => writer.write('loom.turn_record_answer', { ...answer, ...change([parent]) });
      expect(refusal(record).kind).toBe(kind);
    }),
  );

  test('a result that is too large', () =>
    withWriter(async (writer) => {
      const { turn } = await halfStep(writer);
      const blocks = text('x'.repeat(9 * 1024 * 1024));
      const result = { turn, call: 'call-look-1', blocks, external: ran('pwd', 'call-look-1') };
      expect(refusal(() => writer.write('loom.turn_record_result', result)).kind).toBe('invalid_params');
      expect(writer.write('loom.turn_commit_step', { turn }).nodes).toHaveLength(3);
    }));
});

test('a damaged journal does not keep the hub from starting', () =>
  withWriter(async (writer) => {
    const { turn } = await halfStep(writer);
    writer.store.run("UPDATE turn_journal SET body = '{' WHERE call <> ''");
    writer.restart();
    expect(writer.write('loom.turn_end', { turn, state: 'done' })).toMatchObject({ state: 'failed' });
  }));
