import { expect, test } from 'vitest';
import { AgentId, AgentName, type ExchangeEvent } from '../../../hub/protocol/outside_agent.js';
import type { AgentDialogue, AgentStart, Message } from '../../../tools/agents/agent_cli.js';
import { findCli } from '../../../tools/agents/all_clis.js';

type Reply = (request: Message) => readonly object[];

/** A conversation with what answers as the recorded program did: a list of lines for each line that it is sent. */
function talk(name: string, reply: Reply, start: Partial<AgentStart> = {}) {
  const events: ExchangeEvent[] = [];
  const sent: Message[] = [];
  const transport = findCli(AgentName.parse(name), '/nowhere')?.transport;
  if (transport === undefined) throw new RangeError(name);
  const waiting: object[] = [];
  let conversation: AgentDialogue | null = null;
  const pump = (): void => {
    for (let line = waiting.shift(); conversation !== null && line !== undefined; line = waiting.shift()) {
      conversation.take(JSON.parse(JSON.stringify(line)));
    }
  };
  const send = (message: object): void => {
    const line: Message = JSON.parse(JSON.stringify(message));
    sent.push(line);
    waiting.push(...reply(line));
  };
  const usual = { opening: { kind: 'new' as const }, cwd: '/srv/project', level: 'minimal' as const, model: null };
  const all = { ...usual, instructions: null, turnsMax: 10, tools: null, ...start };
  conversation = transport.converse({ send, emit: (event) => events.push(event) }, all);
  pump();
  const act = (work: (conversation: AgentDialogue) => void): void => {
    if (conversation !== null) work(conversation);
    pump();
  };
  return { events, sent, act, words: transport.arguments(all) };
}

const SESSION = 'd9e126b0-f054-4048-a698-8d3cd47fb2a3';
const update = (fields: object) => ({
  ...{ jsonrpc: '2.0', method: 'session/update', params: { sessionId: SESSION, update: fields } },
});
const chunk = (text: string) => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
const CALL = 'run_shell_command__1795067074450_0';
const PERMISSION = {
  ...{ jsonrpc: '2.0', id: 0, method: 'session/request_permission' },
  params: {
    sessionId: SESSION,
    options: [
      { optionId: 'proceed_always', name: 'Allow for this session', kind: 'allow_always' },
      { optionId: 'proceed_once', name: 'Allow', kind: 'allow_once' },
      { optionId: 'cancel', name: 'Reject', kind: 'reject_once' },
    ],
    toolCall: { toolCallId: CALL, status: 'pending', title: 'touch t.txt', content: [], kind: 'execute' },
  },
};

/** As `gemini --acp` has answered, whose call waits for permission. */
function gemini(request: Message): readonly object[] {
  const { id, method, result } = request;
  const answer = (fields: object) => ({ jsonrpc: '2.0', id, ...fields });
  const said = JSON.stringify(request.params ?? {});
  if (method === 'initialize') return [answer({ result: { protocolVersion: 1, authMethods: [] } })];
  if (method === 'session/new') return [answer({ result: { sessionId: SESSION, modes: {} } })];
  if (method === 'session/cancel') return [{ jsonrpc: '2.0', id: 3, result: { stopReason: 'cancelled' } }];
  if (result !== undefined) {
    const done = { toolCallId: CALL, status: 'completed', title: 'touch t.txt', content: [], kind: 'execute' };
    return [
      update({ sessionUpdate: 'tool_call_update', ...done }),
      chunk('MOCK-DONE'),
      { jsonrpc: '2.0', id: 3, result: { stopReason: 'end_turn' } },
    ];
  }
  if (said.includes('[[tool')) return [PERMISSION];
  if (said.includes('[[hang')) return [];
  if (said.includes('[[401')) return [answer({ error: { code: 401, message: 'mock says 401' } })];
  if (said.includes('[[empty')) return [answer({ result: { stopReason: 'end_turn' } })];
  return [chunk('MOCK-'), chunk('REPLY'), answer({ result: { stopReason: 'end_turn' } })];
}

const endOf = (events: readonly ExchangeEvent[]) => events.findLast((event) => event.kind === 'ended');

test('a session of the protocol is opened, and a prompt answered in pieces', () => {
  const { events, sent, act, words } = talk('gemini', gemini, { instructions: 'Be short.' });
  act((conversation) => conversation.say('one'));
  act((conversation) => conversation.say('two'));
  expect(words).toEqual(['--acp']);
  expect(events.map(({ kind }) => kind)).toEqual(['opened', 'text', 'text', 'ended', 'text', 'text', 'ended']);
  expect(endOf(events)).toEqual({ kind: 'ended', session: SESSION, at: null, text: 'MOCK-REPLY', fault: null });
  const told = sent.filter(({ method }) => method === 'session/prompt').map(({ params }) => JSON.stringify(params));
  expect(told.map((params) => params.includes('Be short.'))).toEqual([true, false]);
});

test.each([
  ['allow', 'proceed_once'],
  ['deny', 'cancel'],
] as const)('a call waits until it is answered: %s is %s', (kind, optionId) => {
  const { events, sent, act } = talk('gemini', gemini);
  act((conversation) => conversation.say('[[tool:touch t.txt]]'));
  const [question] = events.filter((event) => event.kind === 'asked');
  expect(question).toMatchObject({ question: '0', call: CALL, text: 'touch t.txt', isPermission: true });
  act((conversation) => conversation.answer('0', kind === 'deny' ? { kind, reason: 'no' } : { kind }));
  expect(sent.at(-1)).toMatchObject({ id: 0, result: { outcome: { outcome: 'selected', optionId } } });
  expect(events.filter(({ kind: one }) => one.startsWith('call_')).map(({ kind: one }) => one)).toEqual([
    ...['call_started', 'call_ended'],
  ]);
  expect(endOf(events)).toMatchObject({ text: 'MOCK-DONE', fault: null });
});

test('what an old session says after it was opened is not the answer, and tokens are told from where gemini tells them', () => {
  const opening = { kind: 'resume' as const, session: AgentId.parse(SESSION) };
  let left = ['said before ', 'and this'];
  const { events, sent, act } = talk(
    'gemini',
    (request) => {
      const { id, method } = request;
      const answer = (fields: object) => ({ jsonrpc: '2.0', id, ...fields });
      const [next, ...rest] = left;
      if (method === 'initialize') return [answer({ result: { agentCapabilities: { loadSession: true } } })];
      if (method === 'session/load') return [answer({ result: {} })];
      if (method === 'session/prompt') {
        const quota = { token_count: { input_tokens: 11, output_tokens: 7 } };
        return [chunk('new'), answer({ result: { stopReason: 'end_turn', _meta: { quota } } })];
      }
      left = rest;
      const refused = answer({ error: { code: -32601, message: 'Method not found' } });
      return next === undefined ? [refused] : [chunk(next), refused];
    },
    { opening },
  );
  act((conversation) => conversation.say('one'));
  expect(sent.filter(({ method }) => String(method).startsWith('_'))).toHaveLength(3);
  expect(events).toEqual([
    { kind: 'opened', session: SESSION, model: null },
    { kind: 'text', text: 'new' },
    { kind: 'used', input_tokens: 11, output_tokens: 7, cache_read_tokens: 0, cache_write_tokens: 0 },
    { kind: 'ended', session: SESSION, at: null, text: 'new', fault: null },
  ]);
});

test('gemini and opencode are told a history in their own forms', () => {
  const place = { cwd: '/srv/project', newId: () => SESSION, model: null, version: null };
  const history = [{ role: 'user' as const, text: 'one', calls: [], atMs: 1 }];
  const gemini = findCli(AgentName.parse('gemini'), '/nowhere');
  const claimed = Object.keys(
    gemini?.home({ level: 'minimal', home: '/h', cwd: '/srv/project', tools: null }).files ?? {},
  );
  const seeding = gemini?.seed?.(history, place);
  const [file = ''] = Object.keys(seeding?.kind === 'session' ? seeding.files : {});
  // What claims the folder of the project stands beside the sessions.
  expect(claimed).toContain(file.replace(/chats\/session-0-d9e126b0\.jsonl$/, '.project_root'));
  const taken = findCli(AgentName.parse('opencode'), '/nowhere')?.seed?.(history, place);
  const session = taken?.kind === 'session' ? taken.session : '';
  expect(taken?.kind === 'session' && taken.takeIn?.('/h')).toEqual(['import', `/h/${session}.json`]);
});

test('a cancelled prompt ends, with what waited for an answer, and the next one is answered', () => {
  const { events, sent, act } = talk('gemini', gemini);
  act((conversation) => conversation.say('[[tool:touch t.txt]]'));
  act((conversation) => conversation.cancel());
  expect(sent.some(({ id, result }) => id === 0 && JSON.stringify(result).includes('cancelled'))).toBe(true);
  expect(endOf(events)).toMatchObject({ fault: { kind: 'cancelled' } });
  act((conversation) => conversation.say('again'));
  expect(endOf(events)).toMatchObject({ text: 'MOCK-REPLY', fault: null });
});

test.each([
  ['[[401]]', 'not_logged_in'],
  ['[[empty]]', 'empty'],
])('%s is told as %s', (said, kind) => {
  const { events, act } = talk('gemini', gemini);
  act((conversation) => conversation.say(said));
  expect(endOf(events)).toMatchObject({ text: '', fault: { kind } });
});

/** As `opencode acp` has answered: it can resume, and has its model as an option of the session. */
function opencode(request: Message): readonly object[] {
  const { id, method } = request;
  const answer = (fields: object) => ({ jsonrpc: '2.0', id, ...fields });
  const sessionCapabilities = { close: {}, fork: {}, list: {}, resume: {} };
  switch (method) {
    case 'initialize':
      return [
        answer({ result: { protocolVersion: 1, agentCapabilities: { loadSession: true, sessionCapabilities } } }),
      ];
    case 'session/new':
      return [answer({ result: { sessionId: SESSION } })];
    case 'session/resume':
      return JSON.stringify(request).includes(SESSION)
        ? [chunk('said before'), answer({ result: {} })]
        : [answer({ error: { code: -32603, message: 'Session not found' } })];
    case 'session/set_config_option':
      return [answer({ result: { configOptions: [] } })];
    case 'session/prompt': {
      const call = { toolCallId: 'call_1', kind: 'execute' };
      const input = { rawInput: { command: 'touch t.txt', cwd: '/srv/project' } };
      const content = [{ type: 'content', content: { type: 'text', text: 'made\n' } }];
      return [
        update({ sessionUpdate: 'tool_call', ...call, title: 'bash', status: 'pending', rawInput: {} }),
        update({ sessionUpdate: 'tool_call_update', ...call, ...input, title: 'touch t.txt', status: 'in_progress' }),
        { jsonrpc: '2.0', id: 9, method: 'fs/write_text_file', params: {} },
        update({ sessionUpdate: 'tool_call_update', ...call, title: 'touch t.txt', status: 'completed', content }),
        update({ sessionUpdate: 'usage_update', used: 11 }),
        chunk('done'),
        answer({ result: { stopReason: 'end_turn', usage: { inputTokens: 11, outputTokens: 7 } } }),
      ];
    }
    default:
      return [];
  }
}

test('a call is told once, with the input that it runs with, and what the agent asks beside is refused', () => {
  const { events, sent, act } = talk('opencode', opencode);
  act((conversation) => conversation.say('go'));
  expect(events.slice(1)).toEqual([
    { kind: 'call_started', call: 'call_1', tool: 'execute', input: { command: 'touch t.txt', cwd: '/srv/project' } },
    { kind: 'call_ended', call: 'call_1', text: 'made\n', failed: false },
    { kind: 'text', text: 'done' },
    { kind: 'used', input_tokens: 11, output_tokens: 7, cache_read_tokens: 0, cache_write_tokens: 0 },
    { kind: 'ended', session: SESSION, at: null, text: 'done', fault: null },
  ]);
  expect(sent).toContainEqual({ jsonrpc: '2.0', id: 9, error: { code: -32601, message: expect.any(String) } });
});

test('a session is gone on with, what it has said before is not said again, and a lost one is told', () => {
  const opening = { kind: 'resume' as const, session: AgentId.parse(SESSION) };
  const known = talk('opencode', opencode, { opening });
  known.act((conversation) => conversation.say('go'));
  expect(endOf(known.events)).toMatchObject({ session: SESSION, text: 'done', fault: null });
  const lost = talk('opencode', opencode, { opening: { ...opening, session: AgentId.parse('other') } });
  lost.act((conversation) => conversation.say('go'));
  expect(endOf(lost.events)).toMatchObject({ fault: { kind: 'session_lost' } });
});

/** As `pi --mode rpc` has answered. */
function pi({ type, message }: Message): readonly object[] {
  const sessionId = SESSION;
  if (type === 'get_state')
    return [{ type: 'response', command: type, success: true, data: { sessionId, model: { id: 'm1' } } }];
  const done = (fields: object) => [
    { type: 'message_end', message: { role: 'assistant', content: [], usage: { input: 11, output: 7 }, ...fields } },
    { type: 'agent_end', messages: [] },
  ];
  if (type === 'abort') return done({ stopReason: 'aborted' });
  const said = String(message);
  const begun = [{ type: 'response', command: 'prompt', success: true }, { type: 'agent_start' }];
  if (said.includes('[[hang')) return begun;
  if (said.includes('[[401')) return [...begun, ...done({ stopReason: 'error', errorMessage: '401 mock says 401' })];
  const call = { toolCallId: 'call_1', toolName: 'bash' };
  return [
    ...begun,
    { type: 'tool_execution_start', ...call, args: { command: 'ls' } },
    { type: 'tool_execution_end', ...call, result: { content: [{ type: 'text', text: 'a.txt' }] }, isError: false },
    { type: 'message_update', assistantMessageEvent: { type: 'text_delta', delta: 'MOCK', partial: {} } },
    ...done({ content: [{ type: 'text', text: 'MOCK' }], stopReason: 'stop' }),
  ];
}

test('pi: calls, pieces of text, a failure and a stop are told, and the next exchange is answered', () => {
  const { events, act, words } = talk('pi', pi, { opening: { kind: 'resume', session: AgentId.parse(SESSION) } });
  expect(words).toEqual(['--mode', 'rpc', '--session', SESSION]);
  act((conversation) => conversation.say('one'));
  expect(events.map(({ kind }) => kind)).toEqual(['opened', 'call_started', 'call_ended', 'text', 'used', 'ended']);
  expect(endOf(events)).toEqual({ kind: 'ended', session: SESSION, at: null, text: 'MOCK', fault: null });
  act((conversation) => conversation.say('[[401]]'));
  expect(endOf(events)).toMatchObject({ fault: { kind: 'not_logged_in' } });
  act((conversation) => conversation.say('[[hang]]'));
  act((conversation) => conversation.cancel());
  expect(endOf(events)).toMatchObject({ fault: { kind: 'cancelled' } });
  act((conversation) => conversation.say('again'));
  expect(endOf(events)).toMatchObject({ text: 'MOCK', fault: null });
});

test('pi that answers in another session than it was asked to is told', () => {
  const { events, act } = talk('pi', pi, { opening: { kind: 'resume', session: AgentId.parse('other') } });
  act((conversation) => conversation.say('one'));
  expect(endOf(events)).toMatchObject({ fault: { kind: 'session_switched' } });
});

test('pi is told a history as a session file below its home', () => {
  const place = { cwd: '/srv/project', newId: () => SESSION, model: null, version: null };
  const seeding = findCli(AgentName.parse('pi'), '/nowhere')?.seed?.(
    [{ role: 'user', text: 'one', calls: [], atMs: 1 }],
    place,
  );
  expect(seeding).toMatchObject({ kind: 'session', session: SESSION });
  expect(Object.keys(seeding?.kind === 'session' ? seeding.files : {})).toEqual([
    `.pi/agent/sessions/--srv-project--/1970-01-01T00-00-00-001Z_${SESSION}.jsonl`,
  ]);
});
