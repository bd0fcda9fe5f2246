import { expect, test } from 'vitest';
import type { AgentEvent } from '../../../../hub/protocol/turn.js';
import { hubEnded } from '../../../support/hub.js';
import { breaking, say } from '../../../support/model/script.js';
import { accessTo, told, withAgent } from '../../../support/turns.js';
import { call, words } from '../turn/turn_calls.js';
import { answering, ask, PLAN } from './question_calls.js';

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

test('who follows a tree hears each answer, and the end of a turn that is ended while it waits', async () => {
  await withAgent(async (agent) => {
    const { hub, say: person, run, tree, client, server } = agent;
    const other = await hub.connect();
    const heard: AgentEvent[] = [];
    const abort = new AbortController();
    const onEvent = (event: AgentEvent): void => void heard.push(event);
    const following = other.stream('agent.follow', { tree }, { onEvent, signal: abort.signal }).catch(() => null);
    await other.call('agent.status', {});
    server.script(say(ask('c1', 'One?'), ask('c2', 'Two?')));
    const { turn } = await run(await person('go'), { change: PLAN });
    const give = answering(agent, client);
    for (const _ of ['once', 'and once more']) await give({ turn, call: 'c1', answer: 'a' });
    const { outcome } = await client.call('agent.stop', { turn });
    await other.call('agent.status', {});
    abort.abort();
    await following;
    const told = heard.slice(heard.findIndex(({ kind }) => kind === 'turn_parked') + 1);
    expect(told).toEqual([
      { kind: 'question_answered', turn, call: 'c1', id: expect.any(String), answer: 'a' },
      { kind: 'turn_ended', turn, outcome },
    ]);
    expect(outcome).toMatchObject({ state: 'interrupted', why: 'asked' });
  });
});

test('who comes to a turn that waits is told where it stands', async () => {
  await withAgent(async ({ say: person, run, client, server }) => {
    server.script(say(words('Hm.'), call('c0', 'read', { path: 'none' }), ask('c1', 'Which?')));
    const { turn, tip, tree, questions } = await run(await person('go'), { change: PLAN });
    const heard: AgentEvent[] = [];
    await client.stream('agent.follow', { turn }, { onEvent: (event) => void heard.push(event) });
    const open = {
      call: 'c1',
      id: questions[0]?.id,
      tool: 'ask_user',
      input: { question: 'Which?' },
      state: 'waiting',
    };
    expect(heard).toEqual([
      {
        ...{ kind: 'turn_snapshot', turn, tree, tip, model: PLAN.model },
        step: {
          id: expect.any(String),
          blocks: expect.arrayContaining([{ type: 'text', text: 'Hm.' }]),
          calls: [open],
        },
      },
    ]);
  });
});

test('a stop that comes right after the last answer ends what that answer lets run', async () => {
  await withAgent(async (agent) => {
    const { say: person, run, client, server } = agent;
    server.script(say(ask('c1', 'Which?')), breaking('hang', words('Well')));
    const { turn } = await run(await person('go'), { change: PLAN });
    const [answered, stopped] = await Promise.all([
      answering(agent, client)({ turn, call: 'c1', answer: 'a' }),
      client.call('agent.stop', { turn }),
    ]);
    expect(stopped).toMatchObject({ stopped: true, outcome: { state: 'interrupted' } });
    expect(answered).toMatchObject({ state: 'interrupted', why: 'asked' });
  });
});

test('where nothing can be added any more a question stays open until it can', async () => {
  await withAgent(async (agent) => {
    const { say: person, run, client, server, tree } = agent;
    server.script(say(ask('c1', 'Which?')), say(words('Fine.')));
    const node = await person('go');
    const { turn } = await run(node, { change: PLAN });
    const give = () => answering(agent, client)({ turn, call: 'c1', answer: 'a' });
    await client.call('loom.tree_archive', { tree });
    await expect(give()).rejects.toMatchObject({ kind: 'archived' });
    await client.call('loom.tree_restore', { tree });
    await client.call('loom.branch_archive', { tree, node });
    await expect(give()).rejects.toMatchObject({ kind: 'archived' });
    await client.call('loom.branch_restore', { tree, node });
    expect(await give()).toMatchObject({ state: 'done', text: 'Fine.' });
  });
});
