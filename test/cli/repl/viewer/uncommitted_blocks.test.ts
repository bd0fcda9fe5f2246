import fc from 'fast-check';
import { expect, test } from 'vitest';
import { styleFor } from '../../../../cli/render/look/style.js';
import { renderBlock } from '../../../../cli/render/screens/viewer_block.js';
import { createRows } from '../../../../cli/repl/viewer/block_rows.js';
import { createGrowingRows } from '../../../../cli/repl/viewer/growing_rows.js';
import { copiedText } from '../../../../cli/repl/viewer/path_blocks.js';
import { createUncommittedBlocks, type UncommittedBlocks } from '../../../../cli/repl/viewer/uncommitted_blocks.js';
import { EMPTY_VIEW } from '../../../../cli/repl/viewer/viewport.js';
import { NodeId, TreeId, TurnId } from '../../../../hub/protocol/node.js';
import type { AgentEvent } from '../../../../hub/protocol/turn.js';
import { RequestId } from '../../../../hub/protocol/usage.js';
import { lookAt } from '../../../support/look.js';

const node = (number: number): NodeId => NodeId.parse(`00000000-0000-4000-8000-${String(number).padStart(12, '0')}`);
const TURN = TurnId.parse(node(900));
const TREE = TreeId.parse(node(901));
const LOOK = lookAt(60);
const ofTurn = { turn: TURN };

const started = (at: number): AgentEvent => ({
  ...{
    kind: 'turn_started',
    ...ofTurn,
    tree: TREE,
    node: node(at),
    model: 'demo/demo',
    level: 'minimal',
    instructions: [],
    cut: [],
    refused: [],
  },
});
const requested = (id: number): AgentEvent => ({
  ...{ kind: 'request_started', ...ofTurn, request: RequestId.parse(node(950)), node: node(id), attempt: 0 },
});
const said = (text: string): AgentEvent => ({ kind: 'text_added', ...ofTurn, text });
const thought = (text: string): AgentEvent => ({ kind: 'thinking_added', ...ofTurn, text });
const called = (id: number, command: string): AgentEvent => ({
  ...{ kind: 'call_started', ...ofTurn, call: `c${id}`, id: node(id), tool: 'bash', input: { command } },
});
const printed = (id: number, text: string | Buffer): AgentEvent => ({
  ...{ kind: 'call_output', ...ofTurn, call: `c${id}`, id: node(id), from: 'stdout', offset: 0 },
  data: Buffer.from(text).toString('base64'),
});
const callEnded = (id: number, text: string): AgentEvent => ({
  ...{ kind: 'call_ended', ...ofTurn, call: `c${id}`, id: node(id), failed: false, blocks: [{ type: 'text', text }] },
});
const committed = (tip: number): AgentEvent => ({
  kind: 'step_committed',
  ...ofTurn,
  nodes: [node(tip)],
  tip: node(tip),
});
const ended = (tip: number): AgentEvent => ({
  ...{ kind: 'turn_ended', ...ofTurn },
  outcome: {
    ...{ turn: TURN, tree: TREE, state: 'done', why: 'answered', failure: null, tip: node(tip), text: '' },
    ...{ usage: null, price_microdollars: null, questions: [] },
  },
});

function blocksAfter(...events: AgentEvent[]): UncommittedBlocks {
  const uncommitted = createUncommittedBlocks(() => 0);
  for (const event of events) uncommitted.take(event);
  return uncommitted;
}

const seen = (uncommitted: UncommittedBlocks, at: number): string[] => {
  const rows = createRows(() => 0)(LOOK, 40);
  const blocks = uncommitted.below(node(at));
  const texts = blocks.flatMap((_, block) => rows.of({ ...EMPTY_VIEW, blocks }, block).map(({ text }) => text));
  return texts.filter((text) => text !== '');
};

test('what is thought, said and called is seen below where the turn began, in its order', () => {
  const uncommitted = blocksAfter(
    ...[started(1), requested(2), thought('Is it?\nIt'), thought(' is.'), said('Let me **lo'), said('ok**.')],
    ...[called(3, 'ls'), printed(3, 'a\nb\n')],
  );
  expect(seen(uncommitted, 1)).toEqual(['> thinking -- 2 lines', 'Let me look.', '> bash(ls) 0 s', '  a', '  b']);
  expect(seen(uncommitted, 7)).toEqual([]);
  expect(uncommitted.isTimed()).toBe(true);
  expect(uncommitted.take(callEnded(3, 'a\nb\nc'))).toBe(true);
  expect(seen(uncommitted, 1).at(-1)).toBe('> bash(ls) -- 3 lines');
  expect(uncommitted.isTimed()).toBe(false);
});

test('a character that is cut between two pieces of what a call prints is seen whole', () => {
  const bytes = Buffer.from('数据 🎯');
  const pieces = Array.from(bytes, (_, at) => printed(3, bytes.subarray(at, at + 1)));
  const [call] = blocksAfter(started(1), requested(2), called(3, 'ls'), ...pieces).below(node(1));
  expect(call === undefined ? null : copiedText(call)).toBe('数据 🎯');
});

test('more of the same kind does not start another block', () => {
  const uncommitted = blocksAfter(started(1), requested(2));
  expect(uncommitted.take(said('One'))).toBe(true);
  expect(uncommitted.take(said(' two'))).toBe(false);
  expect(seen(uncommitted, 1)).toEqual(['One two']);
});

test('an answer that begins again takes the place of what was said', () => {
  const uncommitted = blocksAfter(started(1), requested(2), said('Wrong'), {
    kind: 'answer_restarted',
    ...ofTurn,
    attempt: 1,
  });
  expect(seen(uncommitted, 1)).toEqual([]);
  uncommitted.take(said('Right'));
  expect(seen(uncommitted, 1)).toEqual(['Right']);
});

test('it is seen until it is on the path, also where the commit is told first', () => {
  const uncommitted = blocksAfter(started(1), requested(2), said('Done.'), committed(2), ended(2));
  expect(seen(uncommitted, 1)).toEqual(['Done.']);
  uncommitted.dropCommitted(new Set([node(2)]));
  expect(seen(uncommitted, 1)).toEqual([]);
  expect(seen(uncommitted, 2)).toEqual([]);
});

test('who stays where a turn began sees all its steps', () => {
  const uncommitted = blocksAfter(
    started(1),
    requested(2),
    said('One.'),
    committed(2),
    requested(3),
    said('Two.'),
    ended(3),
  );
  expect(seen(uncommitted, 1)).toEqual(['One.', 'Two.']);
});

test('who comes in the middle of a step sees what was said and which calls run', () => {
  const call = { call: 'c4', id: node(4), tool: 'bash', input: { command: 'ls' } };
  const uncommitted = blocksAfter({
    ...{ kind: 'turn_snapshot', ...ofTurn, tree: TREE, tip: node(1), model: 'demo/demo' },
    step: {
      id: node(2),
      blocks: [{ type: 'text', text: 'Looking.' }],
      calls: [
        { ...call, state: 'running' },
        { ...call, call: 'c5', id: node(5), state: 'waiting' },
      ],
    },
  });
  expect(seen(uncommitted, 1)).toEqual(['Looking.', '> bash(ls) 0 s']);
});

const part = fc.constantFrom(
  'words ',
  'more **bold** ',
  '\n',
  '\n\n',
  '- item ',
  '1. one\n',
  '```ts\nconst a = 1;\n```\n',
  '| a | b |\n| - | - |\n| 1 | 2 |\n',
  '> quote\n',
  'a `b c` d ',
  '数据',
  '# Head\n',
);

test('however an answer is cut into pieces, it looks as it does when it is whole', async () => {
  const look = { ...lookAt(24), style: await styleFor(true) };
  fc.assert(
    fc.property(fc.array(part, { maxLength: 20 }), fc.array(fc.nat(40), { maxLength: 8 }), (parts, lengths) => {
      const text = parts.join('');
      const growing = createGrowingRows();
      const rowsUpTo = (end: number) =>
        growing({ kind: 'answer', id: node(2), text: text.slice(0, end) }, false, look).map((row) => row.text);
      let at = 0;
      for (const length of lengths) {
        at += length;
        rowsUpTo(at);
      }
      const whole = renderBlock({ kind: 'answer', text }, false, look).map((row) => row.text);
      expect(rowsUpTo(text.length)).toEqual(whole);
    }),
    // A row of words that is full, above a table that is too wide.
    {
      examples: [
        [
          [
            ...Array<'words '>(3).fill('words '),
            '1. one\n',
            '| a | b |\n| - | - |\n| 1 | 2 |\n',
            'words ',
            'more **bold** ',
            'words ',
          ],
          [],
        ],
      ],
    },
  );
});
