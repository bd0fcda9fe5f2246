import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { AgentEvent } from '../../../../hub/protocol/turn.js';
import { hubEnded } from '../../../support/hub.js';
import { breaking, say } from '../../../support/model/script.js';
import { accessTo, beginTurn, told, withAgent } from '../../../support/turns.js';
import { call, words } from './turn_calls.js';

const block = (text: string) => [{ type: 'text' as const, text }];

test('a stop keeps what was said so far, marked, and one can go on from there', async () => {
  await withAgent(async ({ say: ask, begin, run, path, client, server }) => {
    server.script(breaking('hang', words('I was about to')));
    const turn = begin(await ask('hello'));
    await turn.event('text_added', ({ text }) => text.includes('to'));
    const { stopped, outcome } = await client.call('agent.stop', { turn: turn.id });
    expect(stopped).toBe(true);
    expect(outcome).toMatchObject({ state: 'interrupted', why: 'asked' });
    expect(await turn.outcome).toEqual(outcome);
    expect(told(await path(outcome.tip)).at(-1)).toBe('assistant: I was about to|\n[interrupted]');
    server.script(say(words('say hello.')));
    expect(await run(outcome.tip)).toMatchObject({ state: 'done' });
    const { requests } = await client.call('loom.request_list', { turn: turn.id });
    expect(requests).toMatchObject([{ outcome: 'stopped', estimate: true }]);
  });
});

test('a stop ends a command that runs, and the calls after it say that they were interrupted', async () => {
  await withAgent(async ({ say: ask, begin, run, path, client, server }) => {
    server.script(
      say(call('c1', 'bash', { command: 'echo begun; sleep 600' }), call('c2', 'bash', { command: 'echo never' })),
    );
    const turn = begin(await ask('wait'));
    await turn.event('call_output');
    const startedAt = performance.now();
    const { outcome } = await client.call('agent.stop', { turn: turn.id });
    console.log(`a turn with a running command was stopped in ${(performance.now() - startedAt).toFixed(0)} ms`);
    expect(outcome.state).toBe('interrupted');
    const [first, second] = told((await path(outcome.tip)).filter(({ kind }) => kind === 'external'));
    expect(first).toMatch(/begun|interrupted/);
    expect(second).toContain('interrupted: this call did not finish');
    server.script(say(words('Good.')));
    expect(await run(outcome.tip)).toMatchObject({ state: 'done' });
    expect((await client.call('bash.list', {})).commands).toEqual([]);
  });
});

test('what a person says meanwhile comes after the step under way, or when the turn would end', async () => {
  await withAgent(async ({ say: ask, begin, path, client, server, project }) => {
    const gate = `while [ ! -e ${project}/go ]; do sleep 0.01; done`;
    server.script(say(call('c1', 'bash', { command: gate })), say(words('As you wish.')), say(words('And that.')));
    const turn = begin(await ask('wait'));
    await turn.event('call_started');
    const later = await client.call('agent.steer', { turn: turn.id, blocks: block('then tell'), kind: 'after' });
    const steer = await client.call('agent.steer', { turn: turn.id, blocks: block('in French') });
    writeFileSync(`${project}/go`, '');
    const { tip, state } = await turn.outcome;
    expect(state).toBe('done');
    const nodes = await path(tip);
    expect(told(nodes).slice(2)).toEqual([
      'assistant: <call>',
      'bash: (no output)',
      'user: in French',
      'assistant: As you wish.',
      'user: then tell',
      'assistant: And that.',
    ]);
    expect(nodes.slice(2).map(({ id }) => id)).toEqual(expect.arrayContaining([later.id, steer.id]));
    await expect(client.call('agent.steer', { turn: turn.id, blocks: block('too late') })).rejects.toMatchObject({
      kind: 'conflict',
    });
  });
});

test('who comes later is told where the turn stands, and then what happens', async () => {
  await withAgent(async ({ hub, say: ask, begin, client, server, tree }) => {
    server.script(breaking('hang', words('Hello wor')));
    const turn = begin(await ask('hello'));
    await turn.event('text_added', ({ text }) => text.includes('r'));
    const other = await hub.connect();
    const heard: AgentEvent[] = [];
    let first = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      first = resolve;
    });
    const onEvent = (event: AgentEvent): void => {
      heard.push(event);
      first();
    };
    const following = other.stream('agent.follow', { turn: turn.id }, { onEvent });
    await begun;
    expect(heard).toMatchObject([{ kind: 'turn_snapshot', step: { blocks: block('Hello wor') } }]);
    expect(await other.call('agent.status', { tree })).toMatchObject({
      turns: [{ turn: turn.id, activity: 'answering', model: 'anthropic/claude-sonnet-5' }],
    });
    await client.call('agent.stop', { turn: turn.id });
    expect(await following).toMatchObject({ outcome: { state: 'interrupted' } });
    expect(heard.at(-1)?.kind).toBe('turn_ended');
    expect(await client.call('agent.status', {})).toEqual({ turns: [] });
  });
});

test('a turn goes on when the client that began it goes away', async () => {
  await withAgent(async ({ hub, say: ask, client, server, tree, project }) => {
    const gate = `while [ ! -e ${project}/go ]; do sleep 0.01; done`;
    server.script(say(call('c1', 'bash', { command: gate })), say(words('Still here.')));
    const other = await hub.connect();
    const node = await ask('wait');
    const change = { model: 'anthropic/claude-sonnet-5' };
    const turn = beginTurn(other, { tree, node, cwd: project, change, access: accessTo(server) });
    const gone = turn.outcome.catch((error: unknown) => error);
    await turn.event('call_started');
    await other.close();
    await gone;
    const following = client.stream('agent.follow', { turn: turn.id }, { onEvent: () => undefined });
    writeFileSync(`${project}/go`, '');
    expect(await following).toMatchObject({ outcome: { state: 'done', text: 'Still here.' } });
  });
});

test('a hub that ends brings its turns to an end first, and they can be gone on from', async () => {
  await withAgent(async ({ hub, say: ask, begin, run, path, client, server }) => {
    server.script(say(call('c1', 'bash', { command: 'sleep 600' })));
    const turn = begin(await ask('wait'));
    await turn.event('call_started');
    expect((await client.call('health.check', {})).busy).toBeGreaterThan(0);
    const ended = hubEnded(hub.home);
    await (await hub.connect()).call('health.stop', { if_idle: false });
    const outcome = await turn.outcome;
    await ended;
    expect(outcome.state).toBe('interrupted');
    expect(told(await path(outcome.tip)).at(-1)).toMatch(/^bash: .*(cancelled|interrupted)/s);
    server.script(say(words('Fine.')));
    expect(await run(outcome.tip)).toMatchObject({ state: 'done', text: 'Fine.' });
  });
});

test('what was said to a turn that is stopped before it could take it stands below its end', async () => {
  await withAgent(async ({ say: ask, begin, run, path, client, server }) => {
    server.script(breaking('hang', words('Well')));
    const turn = begin(await ask('hello'));
    await turn.event('text_added', ({ text }) => text.includes('l'));
    const { id } = await client.call('agent.steer', { turn: turn.id, blocks: block('hurry up') });
    const { outcome } = await client.call('agent.stop', { turn: turn.id });
    expect(outcome.tip).toBe(id);
    expect(told(await path(outcome.tip)).slice(-2)).toEqual(['assistant: Well|\n[interrupted]', 'user: hurry up']);
    server.script(say(words('Done.')));
    expect(await run(outcome.tip)).toMatchObject({ state: 'done', text: 'Done.' });
    expect(JSON.stringify(server.requests[1]?.body.messages)).not.toContain('Go on from where');
  });
});
