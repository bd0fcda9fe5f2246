import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  isOnDisplay,
  moveScene,
  newScene,
  type Scene,
  takeEvent,
  takeNode,
} from '../../../../cli/repl/conversation/on_display.js';
import type { DisplayEvent } from '../../../../cli/repl/front/front.js';
import { type Node, NodeId, Sha256, TreeId, TurnId } from '../../../../hub/protocol/node.js';
import type { AgentEvent } from '../../../../hub/protocol/turn.js';
import { RequestId } from '../../../../hub/protocol/usage.js';

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

/** What a reader has seen in the end. */
function seen(shown: readonly DisplayEvent[]): string[] {
  const parts: string[] = [];
  let answer = '';
  for (const one of shown) {
    if (one.kind === 'answer_grew') answer += one.text;
    else if (one.kind === 'answer_restarted') answer = '';
    else if (one.kind === 'answer_ended') {
      parts.push(`answer: ${answer}`);
      answer = '';
    } else if (one.kind === 'said') parts.push(`${one.by}: ${one.text}`);
    else if (one.kind === 'call_began') parts.push(`began ${one.tool}`);
    else if (one.kind === 'call_ended') parts.push(`ended: ${one.text}`);
  }
  return parts;
}

function takeNodes(scene: Scene, nodes: readonly Node[]): DisplayEvent[] {
  return nodes.flatMap((node) => (isOnDisplay(scene, node) ? takeNode(scene, node, 'others') : []));
}

const WHOLE = ['answer: I look around.', 'began bash', 'ended: a.txt'];

test('a step that is told as events and then as nodes is shown once', () => {
  const root = id();
  const { events, nodes } = stepOf(root, 'I look around.', 'a.txt');
  const scene = newScene(root);
  const shown = [...events.flatMap((event) => takeEvent(scene, event)), ...takeNodes(scene, nodes)];
  expect(seen(shown)).toEqual(WHOLE);
  expect(scene.tip).toBe(nodes[1]?.id);
});

test('a step of which only the nodes come is shown whole', () => {
  const root = id();
  const { nodes } = stepOf(root, 'I look around.', 'a.txt');
  expect(seen(takeNodes(newScene(root), nodes))).toEqual(WHOLE);
});

test('events that break off anywhere are completed by the nodes, wherever those come in between', () => {
  fc.assert(
    fc.property(fc.nat(12), fc.nat(12), fc.constantFrom('I look around.', '', '数据 👩‍👩‍👧'), (cut, place, text) => {
      const root = id();
      const { events, nodes } = stepOf(root, text, 'a.txt');
      const told = events.slice(0, cut);
      const before = told.slice(0, place);
      const rest = told.slice(place);
      const scene = newScene(root);
      const shown = [
        ...before.flatMap((event) => takeEvent(scene, event)),
        ...takeNodes(scene, nodes),
        // The hub tells nothing of a step after it has told that it is committed, and commits after all else.
        ...(cut > place ? rest.filter(({ kind }) => kind === 'step_committed') : []).flatMap((e) =>
          takeEvent(scene, e),
        ),
      ];
      expect(seen(shown)).toEqual(text === '' ? WHOLE.slice(1) : [`answer: ${text}`, ...WHOLE.slice(1)]);
    }),
  );
});

test('an answer that begins again does not keep what was said before', () => {
  const root = id();
  const scene = newScene(root);
  const node = textNode('assistant', root, 'Right.');
  const shown = [
    ...takeEvent(scene, {
      kind: 'request_started',
      turn: TURN,
      request: RequestId.parse(randomUUID()),
      node: node.id,
      attempt: 1,
    }),
    ...takeEvent(scene, { kind: 'text_added', turn: TURN, text: 'Wro' }),
    ...takeEvent(scene, { kind: 'answer_restarted', turn: TURN, attempt: 2 }),
    ...takeEvent(scene, { kind: 'text_added', turn: TURN, text: 'Ri' }),
    ...takeNodes(scene, [node]),
  ];
  expect(seen(shown)).toEqual(['answer: Right.']);
});

test('a character that is cut between two pieces of what a call prints is shown once, and whole', () => {
  const scene = newScene(id());
  const call = id();
  const about = { turn: TURN, call: 'c1', id: call };
  const bytes = Buffer.from('数据 🎯');
  takeEvent(scene, { kind: 'call_started', ...about, tool: 'bash', input: { command: 'ls' } });
  const shown = Array.from(bytes, (_, offset) => {
    const data = bytes.subarray(offset, offset + 1).toString('base64');
    return takeEvent(scene, { kind: 'call_output', ...about, from: 'stdout', offset, data });
  });
  const texts = shown.flat().map((one) => (one.kind === 'call_printed' ? one.text : one.kind));
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
  const late = newScene(root);
  const end = events.slice(-2);
  const fresh = [
    ...takeEvent(late, snapshot),
    ...end.flatMap((event) => takeEvent(late, event)),
    ...takeNodes(late, nodes),
  ];
  expect(seen(fresh)).toEqual(WHOLE);
  const back = newScene(root);
  const again = [
    ...events.slice(0, 3).flatMap((event) => takeEvent(back, event)),
    ...takeEvent(back, snapshot),
    ...takeEvent(back, snapshot),
    ...end.flatMap((event) => takeEvent(back, event)),
  ];
  expect(seen(again)).toEqual(WHOLE);
});

test('what is elsewhere in the tree is not on display, and what was there before a move is not shown again', () => {
  const root = id();
  const scene = newScene(root);
  const [one, other] = [textNode('user', root, 'one'), textNode('user', root, 'other')];
  expect(seen(takeNode(scene, one, 'us'))).toEqual(['us: one']);
  expect(isOnDisplay(scene, other)).toBe(false);
  moveScene(scene, root);
  expect(isOnDisplay(scene, other)).toBe(true);
  expect(seen(takeNode(scene, one, 'us'))).toEqual([]);
});
