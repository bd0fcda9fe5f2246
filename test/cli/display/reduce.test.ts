import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BlockChange, DisplayBlock } from '../../../cli/display/block.js';
import { createDisplay } from '../../../cli/display/display.js';
import { type DisplayAction, isOnDisplay, isSeen, newDisplay, reduce } from '../../../cli/display/reduce.js';
import { type Node, NodeId, Sha256, TreeId, TurnId } from '../../../hub/protocol/node.js';
import type { AgentEvent } from '../../../hub/protocol/turn.js';
import { RequestId } from '../../../hub/protocol/usage.js';

const id = (): NodeId => NodeId.parse(randomUUID());
const TREE = TreeId.parse(randomUUID());
const TURN = TurnId.parse(randomUUID());
const HASH = Sha256.parse('0'.repeat(64));
const PLACE = { tree: TREE, created_at_ms: 0, settings: null, hash: HASH, seq: 1, depth: 1 };

function textNode(role: 'user' | 'assistant', parent: NodeId, text: string): Node {
  return { ...PLACE, id: id(), kind: 'text', role, parent, step: null, blocks: [{ type: 'text', text }] };
}

/** A step of an answer and one call, as the hub tells it: as events, and as nodes. */
function stepOf(parent: NodeId, text: string, output: string): { events: AgentEvent[]; nodes: Node[] } {
  const [answer, call] = [id(), id()];
  const step = (index: number) => ({ id: answer, index, size: 2 });
  const node = textNode('assistant', parent, text);
  const handle = { source: 'bash', source_version: '1', identifier: 'x', metadata: {} };
  const external = { call: { tool: 'bash', input: { command: 'ls' }, id: 'c1' }, handle, output: null };
  const nodes: Node[] = [
    { ...node, id: answer, step: step(0) },
    {
      ...{ ...PLACE, id: call, parent: answer, step: step(1), kind: 'external', role: 'tool' },
      blocks: [{ type: 'text', text: output }],
      external: { ...external, exit_code: 0, signal: null, duration_ms: 1, cwd: null },
    },
  ];
  const request = RequestId.parse(randomUUID());
  const pieces = text.match(/.{1,4}/gsu) ?? [];
  return {
    nodes,
    events: [
      { kind: 'request_started', turn: TURN, request, node: answer, attempt: 1 },
      ...pieces.map((piece) => ({ kind: 'text_added' as const, turn: TURN, text: piece })),
      { kind: 'call_started', turn: TURN, call: 'c1', id: call, tool: 'bash', input: { command: 'ls' } },
      { kind: 'call_ended', turn: TURN, call: 'c1', id: call, failed: false, blocks: [{ type: 'text', text: output }] },
      { kind: 'step_committed', turn: TURN, nodes: [answer, call], tip: call },
    ],
  };
}

/** A display that keeps its state, as a front does. */
function displayAt(tip: NodeId) {
  const { state, take } = createDisplay(tip);
  return {
    ...{ state, take },
    event: (event: AgentEvent) => take({ kind: 'event', event }),
    nodes: (nodes: readonly Node[]) =>
      nodes.flatMap((node) => (isOnDisplay(state(), node) ? take({ kind: 'node', node, by: 'others' }) : [])),
  };
}

/** What a reader has seen in the end. */
function seen(changes: readonly BlockChange[]): string[] {
  let answer = '';
  return changes.flatMap((change) => {
    if (change.kind === 'block_started') return [`began ${change.block.tool}`];
    if (change.kind === 'block_ended') return endWords(change.block, answer);
    if (change.kind === 'call_waits' || change.block.kind !== 'answer') return [];
    if (change.kind === 'block_restarted' || change.block.text === change.added) answer = '';
    answer += change.kind === 'block_grew' ? change.added : '';
    return [];
  });
}

function endWords(block: DisplayBlock, answer: string): string[] {
  switch (block.kind) {
    case 'answer':
      return [`answer: ${answer}`];
    case 'message':
      return [`${block.by}: ${block.text}`];
    case 'call':
      return [`ended: ${block.outcome?.text}`];
    default:
      return [];
  }
}

const WHOLE = ['answer: I look around.', 'began bash', 'ended: a.txt'];

test('a step that is told as events and then as nodes is shown once', () => {
  const root = id();
  const { events, nodes } = stepOf(root, 'I look around.', 'a.txt');
  const display = displayAt(root);
  const shown = [...events.flatMap(display.event), ...display.nodes(nodes)];
  expect(seen(shown)).toEqual(WHOLE);
  expect(display.state().tip).toBe(nodes[1]?.id);
});

test('a step of which only the nodes come is shown whole', () => {
  const root = id();
  const { nodes } = stepOf(root, 'I look around.', 'a.txt');
  expect(seen(displayAt(root).nodes(nodes))).toEqual(WHOLE);
});

test('events that break off anywhere are completed by the nodes, wherever those come in between', () => {
  fc.assert(
    fc.property(fc.nat(12), fc.nat(12), fc.constantFrom('I look around.', '', '数据 👩‍👩‍👧'), (cut, place, text) => {
      const root = id();
      const { events, nodes } = stepOf(root, text, 'a.txt');
      const told = events.slice(0, cut);
      const before = told.slice(0, place);
      const rest = told.slice(place);
      const display = displayAt(root);
      const shown = [
        ...before.flatMap(display.event),
        ...display.nodes(nodes),
        // The hub tells nothing of a step after it has told that it is committed, and commits after all else.
        ...(cut > place ? rest.filter(({ kind }) => kind === 'step_committed') : []).flatMap(display.event),
      ];
      expect(seen(shown)).toEqual(text === '' ? WHOLE.slice(1) : [`answer: ${text}`, ...WHOLE.slice(1)]);
    }),
  );
});

test('an answer that begins again does not keep what was said before', () => {
  const root = id();
  const display = displayAt(root);
  const node = textNode('assistant', root, 'Right.');
  const shown = [
    ...display.event({
      kind: 'request_started',
      turn: TURN,
      request: RequestId.parse(randomUUID()),
      node: node.id,
      attempt: 1,
    }),
    ...display.event({ kind: 'text_added', turn: TURN, text: 'Wro' }),
    ...display.event({ kind: 'answer_restarted', turn: TURN, attempt: 2 }),
    ...display.event({ kind: 'text_added', turn: TURN, text: 'Ri' }),
    ...display.nodes([node]),
  ];
  expect(seen(shown)).toEqual(['answer: Right.']);
});

test('a character that is cut between two pieces of what a call prints is shown once, and whole', () => {
  const display = displayAt(id());
  const call = id();
  const about = { turn: TURN, call: 'c1', id: call };
  const bytes = Buffer.from('数据 🎯');
  display.event({ kind: 'call_started', ...about, tool: 'bash', input: { command: 'ls' } });
  const shown = Array.from(bytes, (_, offset) => {
    const data = bytes.subarray(offset, offset + 1).toString('base64');
    return display.event({ kind: 'call_output', ...about, from: 'stdout', offset, data });
  });
  const texts = shown.flat().map((change) => (change.kind === 'block_grew' ? change.added : change.kind));
  expect(texts.join('')).toBe('数据 🎯');
});

test('who comes in the middle of a step sees it from its beginning, and who comes again only the rest', () => {
  const root = id();
  const { events, nodes } = stepOf(root, 'I look around.', 'a.txt');
  const [answer, call] = nodes;
  if (answer === undefined || call === undefined) throw new Error('a step has two nodes');
  const snapshot: AgentEvent = {
    ...{ kind: 'turn_snapshot', turn: TURN, tree: TREE, tip: root, model: 'demo/demo' },
    step: {
      ...{ id: answer.id, blocks: answer.blocks },
      calls: [{ call: 'c1', id: call.id, tool: 'bash', input: { command: 'ls' }, state: 'running' }],
    },
  };
  const late = displayAt(root);
  const end = events.slice(-2);
  const fresh = [...late.event(snapshot), ...end.flatMap(late.event), ...late.nodes(nodes)];
  expect(seen(fresh)).toEqual(WHOLE);
  const back = displayAt(root);
  const again = [
    ...events.slice(0, 3).flatMap(back.event),
    ...back.event(snapshot),
    ...back.event(snapshot),
    ...end.flatMap(back.event),
  ];
  expect(seen(again)).toEqual(WHOLE);
});

test('what is elsewhere in the tree is not on display, and what was there before a move is not shown again', () => {
  const root = id();
  const display = displayAt(root);
  const [one, other] = [textNode('user', root, 'one'), textNode('user', root, 'other')];
  expect(seen(display.take({ kind: 'node', node: one, by: 'us' }))).toEqual(['us: one']);
  expect(isOnDisplay(display.state(), other)).toBe(false);
  display.take({ kind: 'moved', tip: root });
  expect(isOnDisplay(display.state(), other)).toBe(true);
  expect(seen(display.take({ kind: 'node', node: one, by: 'us' }))).toEqual([]);
});

test('applying an action leaves the state before as it was', () => {
  const root = id();
  const { events, nodes } = stepOf(root, '数据', 'a.txt');
  const output: AgentEvent = {
    ...{ kind: 'call_output', turn: TURN, call: 'c1', id: nodes[1]?.id ?? root, from: 'stdout', offset: 0 },
    data: Buffer.from('数').subarray(0, 2).toString('base64'),
  };
  const actions: DisplayAction[] = [...events.slice(0, -2), output, ...events.slice(-2)].map((event) => ({
    kind: 'event',
    event,
  }));
  let state = newDisplay(root);
  for (const action of [...actions, ...nodes.map((node): DisplayAction => ({ kind: 'node', node, by: 'others' }))]) {
    const before = structuredClone(state);
    const { state: after, changes } = reduce(state, action);
    expect(state).toEqual(before);
    expect(reduce(state, action)).toEqual({ state: after, changes });
    state = after;
  }
});

test('what was thought is a block of the answer, and of a node that came as events nothing comes again', () => {
  const root = id();
  const display = displayAt(root);
  const text = textNode('assistant', root, 'Right.');
  const node: Node = { ...text, blocks: [{ type: 'thinking', text: 'Is it?', signature: null }, ...text.blocks] };
  display.event({
    ...{ kind: 'request_started', turn: TURN, request: RequestId.parse(randomUUID()), node: node.id, attempt: 1 },
  });
  expect(display.event({ kind: 'thinking_added', turn: TURN, text: 'Is it?' })).toEqual([
    { kind: 'block_grew', block: { kind: 'thinking', id: node.id, text: 'Is it?' }, added: 'Is it?' },
  ]);
  expect(seen(display.nodes([node]))).toEqual(['answer: Right.']);
  expect(display.nodes([node])).toEqual([]);
});

test('a command of the person that runs when a turn is lost goes on', () => {
  const display = displayAt(id());
  const [command, call] = [id(), id()];
  display.take({ kind: 'command_started', id: command, command: 'ls' });
  display.event({ kind: 'call_started', turn: TURN, call: 'c1', id: call, tool: 'bash', input: {} });
  expect(seen(display.take({ kind: 'turn_lost' }))).toEqual(['ended: ']);
  expect([...display.state().calls.keys()]).toEqual([command]);
});

test('the newest displayed nodes are remembered', () => {
  const root = id();
  const display = displayAt(root);
  const ids = Array.from({ length: 21_000 }, id);
  display.take({ kind: 'nodes_seen', ids });
  expect(isSeen(display.state(), root)).toBe(false);
  expect(ids.slice(-20_000).every((one) => isSeen(display.state(), one))).toBe(true);
});
