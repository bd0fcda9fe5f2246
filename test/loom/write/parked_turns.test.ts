import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../loom/store/open_database.js';
import { MIGRATIONS } from '../../../loom/store/schema.js';
import { openStore } from '../../../loom/store/store.js';
import { withReader } from '../../support/reader.js';
import { refusal } from '../../support/refusal.js';
import { ran, stepParts, text, user } from '../../support/trees.js';
import { type TestWriter, withWriter } from '../../support/writer.js';

const QUESTION = { kind: 'question' as const, question: 'Wohin? 🧭', options: ['links', 'rechts'] };

/** A turn with a step of three calls: one is done, two ask a person. */
async function parked(writer: TestWriter) {
  const { tree, ids } = await writer.plant(user('go'));
  const parent = ids.go ?? '';
  const turn = writer.newId();
  writer.write('loom.turn_start', { id: turn, tree, node: parent });
  const { blocks } = stepParts('look', ['ls', 'one', 'two']);
  const calls = [0, 1, 2].map((index) => ({ call: `call-look-${index}`, id: writer.newId() }));
  const settings = { system_prompt: 'x', tools: [], level: 'plan', model: 'm', thinking: 'off' };
  const { sha256 } = writer.write('loom.settings_put', { settings });
  const step = { turn, parent, id: writer.newId(), blocks, settings: sha256, calls };
  writer.write('loom.turn_record_answer', step);
  writer.write('loom.turn_record_result', { turn, call: 'call-look-0', ...resultOf('call-look-0', 'out') });
  const drafts = ['call-look-1', 'call-look-2'].map((call) => ({ ...QUESTION, call }));
  const { questions } = writer.write('loom.turn_park', { turn, questions: drafts });
  return { tree, parent, turn, step, drafts, questions };
}

const resultOf = (call: string, said: string) => ({ blocks: text(said), external: ran(said, call) });

const answerIn = (writer: TestWriter, turn: string) => (call: string, said: string) =>
  writer.write('loom.turn_answer', { turn, question: call, answer: said, result: resultOf(call, said) });

test('a parked turn survives restarts, and runs again after its last answer', () =>
  withReader(async (reader, writer) => {
    const { tree, turn, step, questions, parent } = await parked(writer);
    expect(questions.map(({ id, answer: said }) => [id, said])).toEqual([
      [step.calls[1]?.id, null],
      [step.calls[2]?.id, null],
    ]);
    writer.restart();
    expect(await reader.read('loom.fsck', {})).toMatchObject({ problems: [] });
    const waiting = { step: step.id, parent, settings: step.settings, questions };
    expect(await reader.read('loom.turn_list_waiting', {})).toMatchObject({
      turns: [{ parked: waiting }],
      cursor: null,
    });
    expect(answerIn(writer, turn)('call-look-2', 'rechts')).toMatchObject({ again: false, turn: { state: 'waiting' } });
    writer.restart();
    expect(answerIn(writer, turn)('call-look-2', 'rechts')).toMatchObject({ again: true, turn: { state: 'waiting' } });
    const found = await reader.read('loom.turn_get', { turn });
    expect(found.parked).toMatchObject({ step: step.id, parent, blocks: step.blocks, questions: found.questions });
    expect(found.questions.map(({ answer: said }) => said)).toEqual([null, 'rechts']);
    expect(answerIn(writer, turn)(questions[0]?.call ?? '', 'links')).toMatchObject({ turn: { state: 'running' } });
    const { nodes } = writer.write('loom.turn_commit_step', { turn });
    expect(nodes.map((node) => node.id)).toEqual([step.id, ...step.calls.map(({ id }) => id)]);
    expect((await reader.read('loom.turn_get', { turn })).parked).toBeNull();
    expect(await reader.read('loom.turn_list_waiting', { tree })).toEqual({ turns: [], cursor: null });
    writer.write('loom.turn_end', { turn, state: 'done' });
    expect(await reader.read('loom.fsck', {})).toMatchObject({ problems: [] });
  }));

test('a crash after the last answer leaves a step with all answers', () =>
  withWriter(async (writer) => {
    const { turn } = await parked(writer);
    answerIn(writer, turn)('call-look-1', 'links');
    answerIn(writer, turn)('call-look-2', 'rechts');
    writer.restart();
    const blocks = writer.store.all<{ blocks: string }>("SELECT blocks FROM nodes WHERE role = 'tool' ORDER BY seq");
    expect(blocks.map((row) => JSON.parse(row.blocks)[0].text)).toEqual(['out', 'links', 'rechts']);
    expect(answerIn(writer, turn)('call-look-2', 'rechts')).toMatchObject({
      again: true,
      turn: { state: 'interrupted' },
    });
  }));

test('a second, different answer is refused, and so is a late one', () =>
  withWriter(async (writer) => {
    const { turn } = await parked(writer);
    answerIn(writer, turn)('call-look-1', 'links');
    expect(refusal(() => answerIn(writer, turn)('call-look-1', 'rechts'))).toMatchObject({
      ...{ kind: 'conflict', message: 'it was answered already: "links"' },
    });
    writer.write('loom.turn_end', { turn, state: 'interrupted' });
    expect(refusal(() => answerIn(writer, turn)('call-look-2', 'rechts')).message).toContain('without an answer');
    expect(refusal(() => answerIn(writer, turn)('call-look-9', 'rechts')).kind).toBe('not_found');
    const last = writer.store
      .all<{ blocks: string }>("SELECT blocks FROM nodes WHERE role = 'tool' ORDER BY seq")
      .at(-1);
    expect(last?.blocks).toContain('interrupted: this call did not finish');
  }));

test('only a call without a result can ask, and a parked turn does nothing else', () =>
  withWriter(async (writer) => {
    const { turn, step } = await parked(writer);
    const again = () => writer.write('loom.turn_park', { turn, questions: [{ ...QUESTION, call: 'call-look-1' }] });
    expect(refusal(again).kind).toBe('conflict');
    expect(refusal(() => writer.write('loom.turn_commit_step', { turn })).message).toContain('waits for a person');
    expect(refusal(() => writer.write('loom.turn_record_answer', step)).kind).toBe('conflict');
    const { tree, ids } = await writer.plant(user('other'));
    const other = writer.newId();
    writer.write('loom.turn_start', { id: other, tree, node: ids.other ?? '' });
    const nothing = () => writer.write('loom.turn_park', { turn: other, questions: [{ ...QUESTION, call: 'c' }] });
    expect(refusal(nothing).message).toContain('has no call c under way');
  }));

test('the settings of a parked step survive a purge of all other nodes that name them', () =>
  withWriter(async (writer) => {
    const { turn, step } = await parked(writer);
    const { tree, ids } = await writer.plant(user('doomed'));
    const message = { ...{ tree, parent: ids.doomed ?? '', role: 'assistant' as const }, blocks: text('said') };
    writer.write('loom.node_create_text', { ...message, settings: step.settings });
    const { confirm } = writer.write('loom.tree_purge', { tree });
    writer.write('loom.tree_purge', { tree, confirm });
    answerIn(writer, turn)('call-look-1', 'links');
    answerIn(writer, turn)('call-look-2', 'rechts');
    expect(writer.write('loom.turn_commit_step', { turn }).nodes).toHaveLength(4);
  }));

test('a purge takes the questions of its tree, and an export has neither them nor the journal', () =>
  withReader(async (reader, writer) => {
    const { tree } = await parked(writer);
    const exported = JSON.stringify(await reader.read('loom.tree_export', { tree }));
    expect(exported).not.toContain('Wohin');
    expect(exported).not.toContain('call-look-0');
    const { confirm } = writer.write('loom.tree_purge', { tree });
    writer.write('loom.tree_purge', { tree, confirm });
    const left = 'SELECT (SELECT count(*) FROM questions) + (SELECT count(*) FROM turn_journal) AS rows';
    expect(writer.store.get(left)).toEqual({ rows: 0 });
    expect(await reader.read('loom.fsck', {})).toMatchObject({ problems: [] });
  }));

test('fsck finds a turn that waits for nothing', () =>
  withReader(async (reader, writer) => {
    const { turn } = await parked(writer);
    writer.store.run("UPDATE questions SET answer = 'x'");
    const { problems } = await reader.read('loom.fsck', {});
    expect(problems.map(({ problem }) => problem)).toEqual([`turn ${turn} waits for an answer to nothing`]);
  }));

test('parked turns are listed page by page', () =>
  withReader(async (reader, writer) => {
    const turns: string[] = [];
    for (let index = 0; index < 5; index++) turns.unshift((await parked(writer)).turn);
    const found: string[] = [];
    let cursor: string | null = null;
    do {
      const page: { turns: { turn: { id: string } }[]; cursor: string | null } = await reader.read(
        'loom.turn_list_waiting',
        { limit: 2, cursor },
      );
      expect(page.turns.length).toBeLessThanOrEqual(2);
      found.push(...page.turns.map(({ turn }) => turn.id));
      cursor = page.cursor;
    } while (cursor !== null);
    expect(found).toEqual(turns);
  }));

test('a database of the second schema gets its questions without touching a row, and a copy is kept', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cognition-parked-'));
  try {
    const path = join(folder, 'trees.db');
    const old = openStore({ path, access: 'write', synchronous: 'full' });
    for (const step of MIGRATIONS.slice(0, 2)) old.exec(step);
    old.run("INSERT INTO meta (key, value) VALUES ('epoch', 'epoch-1')");
    old.pragma('user_version = 2');
    old.close();
    const store = openDatabase(path, 'epoch-2');
    expect(store.pragma('user_version')).toBe(MIGRATIONS.length);
    expect(store.get('SELECT total_changes() AS changed, (SELECT count(*) FROM questions) AS rows')).toEqual({
      ...{ changed: 0, rows: 0 },
    });
    store.close();
    expect(existsSync(`${path}.schema-2`)).toBe(true);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a step that only asks becomes no node: not when its asker goes on, and not when a new start finds that it has gone', () =>
  withReader(async (reader, writer) => {
    const { tree, ids } = await writer.plant(user('go'));
    const parent = ids.go ?? '';
    const ask = (): string => {
      const turn = writer.newId();
      writer.write('loom.turn_start', { id: turn, tree, node: parent });
      const { blocks } = stepParts('look', ['one']);
      const calls = [{ call: 'call-look-0', id: writer.newId() }];
      const step = { turn, parent, id: writer.newId(), blocks, settings: null, calls, asks_only: true };
      writer.write('loom.turn_record_answer', step);
      writer.write('loom.turn_park', { turn, questions: [{ ...QUESTION, call: 'call-look-0' }] });
      return turn;
    };
    const [first, second] = [ask(), ask()];
    expect(writer.write('loom.turn_commit_step', { turn: first })).toEqual({ nodes: [] });
    expect((await reader.read('loom.turn_get', { turn: first })).turn.state).toBe('running');
    writer.restart();
    expect((await reader.read('loom.turn_get', { turn: second })).turn).toMatchObject({
      state: 'interrupted',
      tip: parent,
    });
    expect((await reader.read('loom.node_get_children', { node: parent, cursor: null, limit: 10 })).children).toEqual(
      [],
    );
    expect(await reader.read('loom.fsck', {})).toMatchObject({ problems: [] });
  }));
