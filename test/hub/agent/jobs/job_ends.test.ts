import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hubEnded } from '../../../support/hub.js';
import { say } from '../../../support/model/script.js';
import { type TestAgent, withAgent } from '../../../support/turns.js';
import { toolsOf, until } from '../../../tools/bash/processes.js';
import { refused } from '../../../tools/bash/refused.js';
import { resultsOf, spawn } from '../sub_sessions/sub_session_turns.js';
import { words } from '../turn/turn_calls.js';
import { askServer, bash, isAlive, markOf, serverCode } from './served.js';

/** Starts a job of two processes that ignore polite signals, and sees that it runs. */
async function startStubborn(agent: TestAgent, more: object = {}): Promise<string> {
  const mark = markOf(agent);
  const command = `trap '' TERM INT HUP; export MARK=${mark}; (setsid sleep 1000 &); echo on; while :; do sleep 0.05; done`;
  const { texts } = await resultsOf(agent, [bash('c1', { command, background: true, ...more })]);
  expect(texts).toEqual(['on\n(job job-1 is running)']);
  expect(isAlive(mark)).toBe(true);
  return mark;
}

test('a person ends one job of a tree, or all', () =>
  withAgent(async (agent) => {
    const { client, tree } = agent;
    const mark = await startStubborn(agent);
    expect(await refused(client.call('agent.job_stop', { tree, name: 'other' }))).toMatchObject({ kind: 'not_found' });
    expect(await client.call('agent.job_stop', { tree, name: 'job-1' })).toEqual({ stopped: ['job-1'] });
    expect(isAlive(mark)).toBe(false);
    await resultsOf(agent, [bash('c2', { command: `sleep 1000; : ${mark}`, background: true, job: 'nap' })]);
    expect(isAlive(mark)).toBe(true);
    expect(await client.call('agent.job_stop', { tree })).toEqual({ stopped: ['nap'] });
    expect(isAlive(mark)).toBe(false);
    const { jobs } = await client.call('agent.job_list', { tree });
    expect(jobs.map(({ name, ended }) => [name, ended?.how])).toEqual([
      ['job-1', 'stopped by the person'],
      ['nap', 'stopped by the person'],
    ]);
  }));

for (const killed of ['hub', 'tools'] as const) {
  test(`kill -9 of the ${killed} ends a job with all its processes`, () =>
    withAgent(async (agent) => {
      const { hub, client, tree } = agent;
      const mark = await startStubborn(agent);
      process.kill(killed === 'hub' ? await hub.pid() : toolsOf(hub.home), 'SIGKILL');
      await until(() => !isAlive(mark));
      if (killed === 'hub') return;
      await until(async () => (await client.call('agent.job_list', { tree })).jobs[0]?.ended?.how === 'interrupted');
      const { texts } = await resultsOf(agent, [bash('c2', { command: 'echo on' }), bash('c3', { job: 'job-1' })]);
      expect(texts).toEqual(['on\n|(job job-1 has ended: interrupted)', '(job job-1 has ended: interrupted)']);
    }));
}

test('jobs end with the hub in order, and leave no record', () =>
  withAgent(async (agent) => {
    const mark = await startStubborn(agent);
    const { client, hub } = agent;
    const ended = hubEnded(hub.home);
    await client.call('health.stop', {});
    await ended;
    expect(isAlive(mark)).toBe(false);
    expect(readdirSync(join(hub.home, 'commands'))).toEqual([]);
  }));

test('a turn that reaches a limit ends the jobs of its tree; one that has answered or was stopped does not', () =>
  withAgent(async (agent) => {
    const { server, begin, run, say: ask } = agent;
    const mark = await startStubborn(agent);
    server.script(say(bash('c2', { command: 'echo on; sleep 1000' })));
    const turn = begin(await ask('go on'));
    await turn.event('call_output');
    await agent.client.call('agent.stop', { turn: turn.id });
    expect(isAlive(mark)).toBe(true);
    server.script(say(bash('c3', { command: 'echo on' })));
    expect(await run(await ask('go on'), { limits: { iterations: 1 } })).toMatchObject({ why: 'iterations' });
    expect(isAlive(mark)).toBe(false);
  }));

test('a job whose call is stopped before it has a result ends with it', () =>
  withAgent(async (agent) => {
    const { client, tree, server, begin, say: ask } = agent;
    const mark = markOf(agent);
    server.script(say(bash('c1', { command: `sleep 1000; : ${mark}`, background: true })));
    const turn = begin(await ask('go'));
    // It prints nothing: its call waits for something to tell.
    await until(() => isAlive(mark));
    await client.call('agent.stop', { turn: turn.id });
    // On a machine so busy that the call had its result before, the job is one as any other.
    if (turn.events.some(({ kind }) => kind === 'call_ended')) return;
    await until(() => !isAlive(mark));
    expect((await client.call('agent.job_list', { tree })).jobs.filter(({ ended }) => ended === null)).toEqual([]);
  }));

test('a job ends at its time limit, and the model is told', () =>
  withAgent(async (agent) => {
    const mark = await startStubborn(agent, { timeout: 3 });
    await until(() => !isAlive(mark));
    const { texts } = await resultsOf(agent, [bash('c2', { job: 'job-1' })]);
    expect(texts).toEqual(['(job job-1 has ended: timed out after 3 s)']);
  }));

test('names are taken once, jobs are limited, and what does not begin is none', () =>
  withAgent(async (agent) => {
    const nap = (id: string, more: object = {}) =>
      bash(id, { command: 'echo on; sleep 1000', background: true, ...more });
    const first = await resultsOf(agent, [
      nap('c1', { job: 'web' }),
      nap('c2', { job: 'web' }),
      bash('c3', { job: 'other' }),
      bash('c4', {}),
      bash('c5', { command: 'echo failing; exit 4', job: 'bad' }),
      bash('c6', { job: 'bad', timeout: 600 }),
    ]);
    expect(first.texts).toEqual([
      'on\n(job web is running)',
      'there is a job web already (stop it first, or take another name)',
      'there is no job "other" (the jobs are: web)',
      'bash was not run: it takes a command, or the name of a job',
      // On a busy machine its end comes after its output.
      expect.stringMatching(/^failing\n\(job bad (is running|has ended: exit code 4)\)$/),
      '(job bad has ended: exit code 4)',
    ]);
    const numbers = [1, 2, 3, 4, 5, 6, 7, 8];
    const { texts } = await resultsOf(
      agent,
      numbers.map((number) => nap(`d${number}`)),
    );
    expect(texts.slice(0, 7)).toEqual(numbers.slice(0, 7).map((number) => `on\n(job job-${number} is running)`));
    expect(texts[7]).toMatch(/^8 jobs are running \(stop one first: web, job-1/);
    const ends = numbers.map((number) => bash(`e${number}`, { command: 'exit 1', job: `end-${number}` }));
    await agent.client.call('agent.job_stop', { tree: agent.tree });
    await resultsOf(agent, ends);
    expect((await agent.client.call('agent.job_list', { tree: agent.tree })).jobs).toHaveLength(8);
  }));

test('a job prints without end: its newest output is told, and the rest is counted', () =>
  withAgent(async (agent) => {
    const { client, tree } = agent;
    const command = 'until [ -e go ]; do sleep 0.05; done; seq 1 1000000; touch there; exec sleep 1000';
    await resultsOf(agent, [bash('c1', { command: `echo on; ${command}`, background: true })]);
    writeFileSync(join(agent.project, 'go'), '');
    await until(() => existsSync(join(agent.project, 'there')));
    const { job, text } = await client.call('agent.job_read', { tree, name: 'job-1', bytes_max: 100 });
    expect(text).toMatch(/^\[… 68888\d\d bytes left out …\]\n/);
    expect(text.endsWith('\n999999\n1000000\n')).toBe(true);
    expect(job.output_bytes).toBe(6_888_899);
    const { texts } = await resultsOf(agent, [bash('c2', { job: 'job-1' }), bash('c3', { job: 'job-1', stop: true })]);
    expect(texts[0]?.length).toBeLessThan(21_000);
    expect(texts[0]?.endsWith('\n1000000\n(job job-1 is running)')).toBe(true);
    expect(texts[1]).toBe('(job job-1 has ended: stopped by the model)');
  }));

test('the jobs of a sub-session end with it', () =>
  withAgent(async (agent) => {
    const mark = markOf(agent);
    agent.server.script(
      say(spawn('c1', { task: 'serve' })),
      say(bash('s1', { command: serverCode(mark, 4321), background: true })),
      say(bash('s2', { command: `pgrep -f ${mark} >seen; ${askServer(4321, '/')} >asked` })),
      say(words('Served.')),
      say(words('Done.')),
    );
    const { state } = await agent.run(await agent.say('go'), {
      change: { model: 'anthropic/claude-sonnet-5', level: 'orchestrator' },
    });
    expect(state).toBe('done');
    expect(readFileSync(join(agent.project, 'asked'), 'utf8')).toBe('served /\n');
    expect(isAlive(mark)).toBe(false);
  }));

test('a job writes neither to git nor, where a model only reads, to the project', () =>
  withAgent(async (agent) => {
    const { project, server } = agent;
    execFileSync('git', ['-C', project, 'init', '-q', '-b', 'main']);
    const names = '-c user.name=m -c user.email=m@m';
    const attempts = `git ${names} commit -q --allow-empty -m x && echo commits; : >.git/here && echo writes; git log --oneline | wc -l; echo tried; exec sleep 1000`;
    const { texts } = await resultsOf(agent, [
      bash('c1', { command: `git ${names} commit -q --allow-empty -m first` }),
      bash('c2', { command: `${attempts} 2>/dev/null`, background: true }),
    ]);
    expect(texts[1]).toContain('1\ntried\n');
    expect(texts[1]).not.toMatch(/commits|writes/);
    server.script(
      say(bash('c3', { command: 'touch made || echo held; exec sleep 1000', background: true })),
      say(words('Done.')),
    );
    await agent.run(await agent.say('look'), { change: { model: 'anthropic/claude-sonnet-5', level: 'readonly' } });
    expect(existsSync(join(project, 'made'))).toBe(false);
  }));
