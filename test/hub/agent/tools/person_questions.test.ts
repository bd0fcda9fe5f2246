import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { connectTo } from '../../../support/hub.js';
import { say } from '../../../support/model/script.js';
import type { ModelServer } from '../../../support/model_server.js';
import { told, withAgent } from '../../../support/turns.js';
import { call, words } from '../turn/turn_calls.js';
import { answering, ask, PLAN } from './question_calls.js';

/** The results that the newest request of a server carried, as text. */
const lastResults = (server: ModelServer): string => JSON.stringify(server.requests.at(-1)?.body.messages);

test('a turn that asks waits with its other calls done, and goes on as the same turn when somebody answers', async () => {
  await withAgent(async (agent) => {
    const { say: person, begin, path, client, server, tree } = agent;
    server.script(
      say(words('Let me see.'), call('c1', 'bash', { command: 'echo looked' }), ask('c2', 'Which?', ['tea', 'coffee'])),
      say(words('Coffee it is.')),
    );
    const node = await person('make something');
    const turn = begin(node, { change: PLAN });
    const waiting = await turn.outcome;
    const question = { call: 'c2', kind: 'question', question: 'Which?', options: ['tea', 'coffee'], answer: null };
    expect(waiting).toMatchObject({ state: 'waiting', why: 'question', text: 'Let me see.', tip: node });
    expect(waiting.questions).toMatchObject([question]);
    expect(turn.events.slice(-2)).toMatchObject([
      { kind: 'question_asked', call: 'c2', question: 'Which?', options: ['tea', 'coffee'], asks: 'question' },
      { kind: 'turn_parked' },
    ]);
    expect(await client.call('agent.status', { tree })).toMatchObject({
      turns: [{ turn: turn.id, activity: 'asking', level: 'plan', iterations: 1, questions: [question] }],
    });
    expect((await client.call('health.check', {})).busy).toBe(0);
    expect(await client.stream('agent.follow', { turn: turn.id }, { onEvent: () => undefined })).toEqual({
      outcome: waiting,
    });
    expect(await path(node)).toHaveLength(2);
    const done = await answering(agent, client)({ turn: turn.id, call: 'c2', answer: { option: 2 } });
    expect(done).toMatchObject({ turn: turn.id, state: 'done', text: 'Coffee it is.', questions: [] });
    expect(told(await path(done.tip)).slice(2)).toEqual([
      'assistant: Let me see.|<call>|<call>',
      'bash: looked\n',
      'ask_user: coffee',
      'assistant: Coffee it is.',
    ]);
    expect(done.usage?.tokens_out).toBeGreaterThan(waiting.usage?.tokens_out ?? 0);
    expect(await client.call('agent.status', { tree })).toEqual({ turns: [] });
    expect(await client.call('loom.fsck', {})).toMatchObject({ problems: [] });
  });
});

test('a hub that is killed while a turn waits keeps the question, and another process answers it', async () => {
  await withAgent(async (agent) => {
    const { hub, say: person, run, client, server } = agent;
    server.script(say(ask('c1', 'Grün oder 緑? 🟢')), say(words('Gut.')));
    const { turn } = await run(await person('choose'), { change: PLAN });
    await hub.kill();
    const other = await connectTo(hub.home);
    expect((await other.call('agent.status', {})).turns).toMatchObject([
      { turn, activity: 'asking', questions: [{ call: 'c1', question: 'Grün oder 緑? 🟢' }] },
    ]);
    expect(await other.call('loom.fsck', {})).toMatchObject({ problems: [] });
    const answer = '緑 👩‍👩‍👧‍👦 e\u0301\u202e\n\ttwo lines';
    const done = await answering(agent, other)({ turn, call: 'c1', answer });
    expect(done).toMatchObject({ state: 'done', text: 'Gut.' });
    expect(lastResults(server)).toContain(JSON.stringify(answer).slice(1, -1));
    await other.close();
    expect(await client.call('agent.status', {})).toEqual({ turns: [] });
  });
});

test('of two questions in one step each has its own answer, and a kill in between loses none', async () => {
  await withAgent(async (agent) => {
    const { hub, say: person, run, path, server } = agent;
    server.script(say(ask('c1', 'First?'), ask('c2', 'Second?')), say(words('Both.')));
    const { turn, questions } = await run(await person('choose'), { change: PLAN });
    expect(questions).toHaveLength(2);
    const half = await answering(agent, agent.client)({ turn, call: 'c2', answer: 'two' });
    expect(half).toMatchObject({ state: 'waiting', questions: [{ answer: null }, { answer: 'two' }] });
    await hub.kill();
    const other = await connectTo(hub.home);
    const again = await answering(agent, other)({ turn, call: questions[1]?.id ?? '', answer: 'two' });
    expect(again).toMatchObject({ state: 'waiting' });
    const done = await answering(agent, other)({ turn, call: 'c1', answer: 'one' });
    expect(told(await path(done.tip)).slice(-3)).toEqual(['ask_user: one', 'ask_user: two', 'assistant: Both.']);
    await other.close();
  });
});

test('the first answer counts: the same again is a retry, another is refused with what was said', async () => {
  await withAgent(async (agent) => {
    const { hub, say: person, run, client, server } = agent;
    server.script(say(ask('c1', 'Yes or no?', ['yes', 'no'])), say(words('So be it.')));
    const { turn } = await run(await person('choose'), { change: PLAN });
    const answers = await Promise.all(
      [1, 2, 1, 2].map(async (option) => {
        const one = await hub.connect();
        return answering(agent, one)({ turn, call: 'c1', answer: { option } }).catch((error: unknown) => error);
      }),
    );
    const done = answers.filter((answer) => !(answer instanceof Error));
    expect(done).toMatchObject([
      { state: 'done', text: 'So be it.' },
      { state: 'done', text: 'So be it.' },
    ]);
    const refused = answers.filter((answer) => answer instanceof Error);
    expect(refused).toMatchObject([{ kind: 'conflict' }, { kind: 'conflict' }]);
    expect(String(refused[0])).toMatch(/it was answered already: "(yes|no)"/);
    expect(server.requests).toHaveLength(2);
    const { questions } = await client.call('loom.turn_get', { turn });
    const said = questions[0]?.answer === 'yes' ? 1 : 2;
    const late = answering(agent, client)({ turn, call: 'c1', answer: { option: said } });
    expect(await late).toMatchObject({ state: 'done' });
  });
});

test('an answer needs words or an option that there is, and a model that can be asked', async () => {
  await withAgent(async (agent) => {
    const { say: person, run, client, server, project } = agent;
    server.script(say(ask('c1', 'Which?', ['a', 'b'])), say(words('Fine.')));
    const { turn } = await run(await person('choose'), { change: PLAN });
    const give = answering(agent, client);
    await expect(give({ turn, call: 'c1', answer: ' \n' })).rejects.toThrow('an answer needs some text');
    await expect(give({ turn, call: 'c1', answer: { option: 3 } })).rejects.toMatchObject({
      ...{ message: 'there is no option 3', hint: 'the options are: 1 a, 2 b' },
    });
    await expect(give({ turn, call: 'c9', answer: 'a' })).rejects.toMatchObject({ kind: 'not_found' });
    await expect(give({ turn, call: 'c1', answer: 'x'.repeat(1_048_577) })).rejects.toMatchObject({
      kind: 'invalid_params',
    });
    const keyless = client.stream(
      'agent.answer',
      { turn, call: 'c1', answer: 'a', cwd: project },
      {
        onEvent: () => undefined,
      },
    );
    await expect(keyless).rejects.toMatchObject({ kind: 'no_key' });
    expect((await client.call('loom.turn_get', { turn })).turn.state).toBe('waiting');
    const huge = '数'.repeat(1_048_576);
    expect(await give({ turn, call: 'c1', answer: huge })).toMatchObject({ state: 'done' });
    expect(lastResults(server)).toContain(huge);
  });
});

test('a turn that waits can be stopped, steered and left: nothing that was said is lost', async () => {
  await withAgent(async (agent) => {
    const { say: person, run, path, client, server } = agent;
    server.script(say(ask('c1', 'Which?')), say(words('Well.')));
    const node = await person('choose');
    const { turn } = await run(node, { change: PLAN });
    const input = await client.call('agent.steer', { turn, blocks: [{ type: 'text', text: 'quickly' }] });
    const branch = await run(await person('something else', node), { change: null });
    expect(branch).toMatchObject({ state: 'done', text: 'Well.' });
    const { stopped, outcome } = await client.call('agent.stop', { turn });
    expect([stopped, outcome.state, outcome.tip]).toEqual([true, 'interrupted', input.id]);
    const end = told(await path(outcome.tip)).slice(2);
    expect(end[1]).toContain('interrupted: this call did not finish');
    expect(end[2]).toBe('user: quickly');
    expect(await client.call('agent.stop', { turn })).toMatchObject({ stopped: false });
    const late = answering(agent, client)({ turn, call: 'c1', answer: 'a' });
    await expect(late).rejects.toMatchObject({ kind: 'conflict' });
    server.script(say(words('I see.')));
    expect(await run(outcome.tip, { change: null })).toMatchObject({ state: 'done' });
  });
});

test('what was said to a turn that waits comes after the answer', async () => {
  await withAgent(async (agent) => {
    const { say: person, run, path, client, server } = agent;
    server.script(say(ask('c1', 'Which?')), say(words('Both then.')));
    const { turn } = await run(await person('choose'), { change: PLAN });
    await client.call('agent.steer', { turn, blocks: [{ type: 'text', text: 'and be brief' }] });
    const { tip } = await answering(agent, client)({ turn, call: 'c1', answer: 'a' });
    expect(told(await path(tip)).slice(-3)).toEqual(['ask_user: a', 'user: and be brief', 'assistant: Both then.']);
  });
});

test('a question at another level, or without words, is a failed result for the model', async () => {
  await withAgent(async ({ say: person, run, path, server }) => {
    server.script(say(ask('c1', 'May I?')), say(words('Then not.')));
    const first = await run(await person('go'));
    expect(first.state).toBe('done');
    expect(told(await path(first.tip)).at(-2)).toContain('there is no tool "ask_user"');
    server.script(say(ask('c1', '  '), call('c2', 'ask_user', '{"question"')), say(words('Never mind.')));
    const second = await run(await person('go'), { change: PLAN });
    const [one, two] = told((await path(second.tip)).filter(({ kind }) => kind === 'external'));
    expect(one).toContain('ask_user was not run');
    expect(two).toContain('ask_user was not run');
  });
});

test('a model that asks beside a command which is stopped does not wait', async () => {
  await withAgent(async ({ say: person, begin, path, client, server, project }) => {
    const gate = `while [ ! -e ${project}/go ]; do sleep 0.01; done`;
    server.script(say(call('c1', 'bash', { command: gate }), ask('c2', 'Which?')));
    const turn = begin(await person('go'), { change: PLAN });
    await turn.event('call_started');
    const { outcome } = await client.call('agent.stop', { turn: turn.id });
    writeFileSync(`${project}/go`, '');
    expect(outcome).toMatchObject({ state: 'interrupted', questions: [] });
    expect(told(await path(outcome.tip)).at(-1)).toContain('ask_user: interrupted');
  });
});
