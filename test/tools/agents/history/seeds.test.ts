import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readClaude } from '../../../../tools/agents/history/claude_history.js';
import { seedClaude } from '../../../../tools/agents/history/claude_seed.js';
import { readCodex } from '../../../../tools/agents/history/codex_history.js';
import { seedCodex } from '../../../../tools/agents/history/codex_seed.js';
import { readGemini } from '../../../../tools/agents/history/gemini_history.js';
import { seedGemini } from '../../../../tools/agents/history/gemini_seed.js';
import type { History } from '../../../../tools/agents/history/history.js';
import { readOpencode } from '../../../../tools/agents/history/opencode_history.js';
import { seedOpencode } from '../../../../tools/agents/history/opencode_seed.js';
import type { PastTurn, SeedPlace } from '../../../../tools/agents/history/past_turn.js';
import { readPi } from '../../../../tools/agents/history/pi_history.js';
import { seedPi } from '../../../../tools/agents/history/pi_seed.js';

/** A place in which the nth id ends with n. */
function place(): SeedPlace {
  let made = 0;
  const newId = (): string => {
    made += 1;
    return `${String(made).padStart(8, '0')}-0000-4000-8000-000000000000`;
  };
  return { cwd: '/srv/my project', newId, model: null, version: null };
}

const AT_MS = Date.UTC(2026, 10, 19, 5, 30);
const TURNS: PastTurn[] = [
  { role: 'user', text: 'list the files', calls: [], atMs: AT_MS },
  {
    ...{ role: 'assistant', text: 'I look.', atMs: AT_MS + 1000 },
    calls: [
      { id: 'call_1', tool: 'bash', input: { command: 'ls' }, output: 'a.txt', failed: false },
      { id: 'call_2', tool: 'odd tool', input: 'words', output: 'no', failed: true },
    ],
  },
  { role: 'assistant', text: 'There is a.txt.', calls: [], atMs: AT_MS + 2000 },
];

const linesOf = (text: string): unknown[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));

test('Claude Code gets a record for each block, in one chain, with the results behind the calls', () => {
  const { session, names, text } = seedClaude(TURNS, place());
  expect([session, names]).toEqual([
    '00000001-0000-4000-8000-000000000000',
    ['-srv-my-project', '00000001-0000-4000-8000-000000000000.jsonl'],
  ]);
  const lines = linesOf(text);
  const [user] = lines;
  expect(user).toEqual({
    ...{ parentUuid: null, isSidechain: false, type: 'user', uuid: '00000002-0000-4000-8000-000000000000' },
    message: { role: 'user', content: [{ type: 'text', text: 'list the files' }] },
    ...{ timestamp: '2026-11-19T05:30:00.000Z', userType: 'external', cwd: '/srv/my project' },
    ...{ sessionId: session, version: '2.1.326', gitBranch: '' },
  });
  expect(lines.map((line) => [Reflect.get(Object(line), 'parentUuid'), contentOf(line)])).toEqual([
    [null, [{ type: 'text', text: 'list the files' }]],
    [id(2), [{ type: 'text', text: 'I look.' }]],
    [id(4), [{ type: 'tool_use', id: 'toolu_000000050000400080000000', name: 'bash', input: { command: 'ls' } }]],
    [id(7), [{ type: 'tool_use', id: 'toolu_000000060000400080000000', name: 'odd_tool', input: { input: 'words' } }]],
    [
      id(8),
      [
        { tool_use_id: 'toolu_000000050000400080000000', type: 'tool_result', content: 'a.txt' },
        { tool_use_id: 'toolu_000000060000400080000000', type: 'tool_result', content: 'no', is_error: true },
      ],
    ],
    [id(9), [{ type: 'text', text: 'There is a.txt.' }]],
  ]);
});

const id = (number: number): string => `${String(number).padStart(8, '0')}-0000-4000-8000-000000000000`;
const contentOf = (line: unknown): unknown => Reflect.get(Object(Reflect.get(Object(line), 'message')), 'content');

test('Codex gets the items of the Responses API', () => {
  expect(seedCodex(TURNS, place())).toEqual([
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'list the files' }] },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
    { type: 'function_call', name: 'bash', arguments: '{"command":"ls"}', call_id: 'call_000000010000400080000000' },
    {
      type: 'function_call',
      name: 'odd_tool',
      arguments: '{"input":"words"}',
      call_id: 'call_000000020000400080000000',
    },
    { type: 'function_call_output', call_id: 'call_000000010000400080000000', output: 'a.txt' },
    { type: 'function_call_output', call_id: 'call_000000020000400080000000', output: 'no' },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'There is a.txt.' }] },
  ]);
});

test('Gemini CLI gets a document whose calls have their results with them', () => {
  const { names, text } = seedGemini(TURNS, place());
  const document = JSON.parse(text);
  expect(names).toEqual([`session-${id(1)}.json`]);
  expect(document).toMatchObject({ sessionId: id(1), startTime: '2026-11-19T05:30:00.000Z', kind: 'main' });
  expect(document.messages[1]).toEqual({
    ...{ id: id(3), timestamp: '2026-11-19T05:30:01.000Z', type: 'gemini', content: 'I look.', thoughts: [] },
    model: 'unknown',
    toolCalls: [
      {
        ...{ id: 'call_000000040000400080000000', name: 'bash', args: { command: 'ls' }, status: 'success' },
        result: [
          {
            functionResponse: {
              ...{ id: 'call_000000040000400080000000', name: 'bash', response: { output: 'a.txt' } },
            },
          },
        ],
        timestamp: '2026-11-19T05:30:01.000Z',
      },
      expect.objectContaining({ name: 'odd_tool', args: { input: 'words' }, status: 'error' }),
    ],
  });
});

test('opencode gets an export whose ids and times rise', () => {
  const { session, names, text } = seedOpencode(
    [TURNS[0], TURNS[0], ...TURNS].filter((turn) => turn !== undefined),
    place(),
  );
  expect(names).toEqual([`${session}.json`]);
  expect(session).toMatch(/^ses_[0-9a-f]{12}\w{14}$/);
  const { info, messages } = JSON.parse(text);
  expect(info).toMatchObject({ id: session, directory: '/srv/my project', title: 'list the files' });
  const times: number[] = messages.map((message: { info: { time: { created: number } } }) => message.info.time.created);
  const ids: string[] = messages.map((message: { info: { id: string } }) => message.info.id);
  expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
  expect(ids).toEqual([...new Set(ids)].sort());
  expect(messages[3].parts.map(({ type }: { type: string }) => type)).toEqual([
    ...['step-start', 'text', 'tool', 'tool', 'step-finish'],
  ]);
});

test('pi gets a header and entries that each name the one before', () => {
  const { session, names, text } = seedPi(TURNS, place());
  expect(names).toEqual(['--srv-my project--', `2026-11-19T05-30-00-000Z_${session}.jsonl`]);
  const [header, ...entries] = linesOf(text);
  expect(header).toEqual({
    ...{ type: 'session', version: 3, id: session, timestamp: '2026-11-19T05:30:00.000Z', cwd: '/srv/my project' },
  });
  const roles = entries.map((entry) => Reflect.get(Object(Reflect.get(Object(entry), 'message')), 'role'));
  expect(roles).toEqual(['user', 'assistant', 'toolResult', 'toolResult', 'assistant']);
  const links = entries.map((entry) => [Reflect.get(Object(entry), 'id'), Reflect.get(Object(entry), 'parentId')]);
  expect(links.slice(1).map(([, parent]) => parent)).toEqual(links.slice(0, -1).map(([own]) => own));
});

const words = fc.string({ unit: 'binary', minLength: 1 }).map((text) => `said ${text}`);
const call = fc.record({
  ...{ id: fc.string(), tool: fc.string(), input: fc.dictionary(fc.string(), fc.jsonValue()) },
  ...{ output: words, failed: fc.constant(false) },
});
const turn: fc.Arbitrary<PastTurn> = fc.oneof(
  fc.record({ role: fc.constant('user' as const), text: words, calls: fc.constant([]), atMs: fc.nat() }),
  fc.record({
    role: fc.constant('assistant' as const),
    text: words,
    calls: fc.array(call, { maxLength: 3 }),
    atMs: fc.nat(),
  }),
);

async function* records(all: readonly unknown[]): AsyncGenerator<unknown> {
  yield* all.map((one): unknown => JSON.parse(JSON.stringify(one)));
}

const READ_BACK: [string, (turns: readonly PastTurn[]) => AsyncIterable<History>][] = [
  ['Claude Code', (turns) => readClaude(records(linesOf(seedClaude(turns, place()).text)))],
  [
    'Codex',
    (turns) => readCodex(records(seedCodex(turns, place()).map((payload) => ({ type: 'response_item', payload })))),
  ],
  ['Gemini CLI', (turns) => readGemini(records([JSON.parse(seedGemini(turns, place()).text)]))],
  [
    'opencode',
    (turns) => {
      const { info, messages } = JSON.parse(seedOpencode(turns, place()).text);
      return readOpencode(records([info, ...messages]));
    },
  ],
  ['pi', (turns) => readPi(records(linesOf(seedPi(turns, place()).text)))],
];

test.each(READ_BACK)('what %s is given is read back as the same turns', async (_name, readBack) => {
  const property = fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 8 }), async (turns) => {
    for await (const history of readBack(turns)) {
      const read = history.turns.map(({ kind, text, calls }) => [
        kind,
        text,
        calls.map(({ input, output }) => [input, output]),
      ]);
      const wanted = turns.map(({ role, text, calls }) => [
        role,
        text,
        calls.map(({ input, output }) => [input, output]),
      ]);
      expect(read).toEqual(JSON.parse(JSON.stringify(wanted)));
    }
  });
  await fc.assert(property);
});
