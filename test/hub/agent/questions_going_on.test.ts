import { expect, test } from 'vitest';
import type { AgentEvent } from '../../../hub/protocol/turn.js';
import { hubEnded } from '../../support/hub.js';
import { say } from '../../support/model/script.js';
import { accessTo, told, withAgent } from '../../support/turns.js';
import { answering, ask, PLAN } from './question_calls.js';
import { call, words } from './turn_calls.js';

test('who follows a tree hears that a turn waits, and that it goes on', async () => {
  await withAgent(async (agent) => {
    const { hub, say: person, run, tree, client, server } = agent;
    const other = await hub.connect();
    const heard: AgentEvent['kind'][] = [];
    const abort = new AbortController();
    const onEvent = ({ kind }: AgentEvent): void => void heard.push(kind);
    const following = other.stream('agent.follow', { tree }, { onEvent, signal: abort.signal }).catch(() => null);
    await other.call('agent.status', {});
    server.script(say(ask('c1', 'Which?')), say(words('Fine.')));
    const { turn } = await run(await person('go'), { change: PLAN });
    await answering(agent, client)({ turn, call: 'c1', answer: 'a' });
    // The hub writes to a connection in order: when this is answered, all of that was heard.
    await other.call('agent.status', {});
    abort.abort();
    await following;
    const told = heard.filter((kind) => /^(turn|question)_/.test(kind));
    expect(told).toEqual([
      ...['turn_started', 'question_asked', 'turn_parked', 'turn_resumed', 'question_answered', 'turn_ended'],
    ]);
  });
});

test('a turn that waits keeps no hub from ending, and the next one goes on with it', async () => {
  await withAgent(async (agent) => {
    const { hub, say: person, run, client, server } = agent;
    server.script(say(ask('c1', 'Which?')), say(words('Fine.')));
    const { turn } = await run(await person('go'), { change: PLAN });
    const ended = hubEnded(hub.home);
    expect(await (await hub.connect()).call('health.stop', { if_idle: true })).toEqual({ stopping: true });
    await ended;
    expect(await answering(agent, client)({ turn, call: 'c1', answer: 'a' })).toMatchObject({ state: 'done' });
  });
});

test('limits count from the beginning of a turn, not from its last answer', async () => {
  await withAgent(async (agent) => {
    const { say: person, run, client, server, project } = agent;
    server.script(say(ask('c1', 'Which?')), say(call('c2', 'bash', { command: 'true' })), say(words('More.')));
    const { turn } = await run(await person('go'), { change: PLAN });
    const params = { turn, call: 'c1', answer: 'a', cwd: project, access: accessTo(server), limits: { iterations: 2 } };
    const done = await client.stream('agent.answer', params, { onEvent: () => undefined });
    expect(done).toMatchObject({ state: 'stopped', why: 'iterations' });
  });
});

test('the folder that a command went to before the question is where the next one begins', async () => {
  await withAgent(async (agent) => {
    const { say: person, run, path, client, server } = agent;
    server.script(
      say(
        call('c0', 'write', { path: '.cognition/plan.md', content: 'x' }),
        call('c1', 'bash', { command: 'cd .cognition' }),
      ),
      say(call('c2', 'bash', { command: 'cd ..; cd .cognition' }), ask('c3', 'Which?')),
      say(call('c4', 'bash', { command: 'cat plan.md' })),
      say(words('Done.')),
    );
    const { turn } = await run(await person('go'), { change: PLAN });
    const { tip } = await answering(agent, client)({ turn, call: 'c3', answer: 'a' });
    expect(told(await path(tip)).at(-2)).toBe('bash: x');
  });
});

test('the same call id may ask again later in the turn', async () => {
  await withAgent(async (agent) => {
    const { say: person, run, client, server } = agent;
    server.script(say(ask('c1', 'First?')), say(ask('c1', 'Second?')), say(words('Good.')));
    const { turn, questions } = await run(await person('go'), { change: PLAN });
    const give = answering(agent, client);
    const second = await give({ turn, call: questions[0]?.id ?? '', answer: 'same' });
    expect(second).toMatchObject({ state: 'waiting', questions: [{ question: 'Second?' }] });
    expect(await give({ turn, call: questions[0]?.id ?? '', answer: 'same' })).toMatchObject({ state: 'waiting' });
    expect(await give({ turn, call: second.questions[0]?.id ?? '', answer: 'same' })).toMatchObject({ state: 'done' });
  });
});

test('a hub that is killed right after the last answer leaves a step with that answer to go on from', async () => {
  await withAgent(async (agent) => {
    const { hub, say: person, run, path, server } = agent;
    server.script(say(ask('c1', 'Which?')), { ...say(words('cut')), kind: 'hang' });
    const { turn } = await run(await person('choose'), { change: PLAN });
    const given = answering(agent, agent.client)({ turn, call: 'c1', answer: 'the left one' });
    await server.hanging();
    await hub.kill();
    // The client sends it again to the next hub, which knows the answer.
    const after = await given;
    expect(after).toMatchObject({ turn, state: 'interrupted' });
    expect(told(await path(after.tip)).at(-1)).toBe('ask_user: the left one');
    server.script(say(words('The left one.')));
    expect(await run(after.tip, { change: null })).toMatchObject({ state: 'done', text: 'The left one.' });
  });
});
