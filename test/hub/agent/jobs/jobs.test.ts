import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AgentEvent } from '../../../../hub/protocol/turn.js';
import { type TestAgent, withAgent } from '../../../support/turns.js';
import { until } from '../../../tools/bash/processes.js';
import { resultsOf } from '../sub_sessions/sub_session_turns.js';
import { call } from '../turn/turn_calls.js';
import { askServer, bash, isAlive, markOf, serverCode } from './served.js';

type JobsEvent = Extract<AgentEvent, { kind: 'jobs_changed' }>;

/** What follows a tree is told of its jobs. */
async function followJobs({ hub, tree }: TestAgent): Promise<JobsEvent[]> {
  const seen: JobsEvent[] = [];
  const client = await hub.connect();
  const onEvent = (event: AgentEvent): void => {
    if (event.kind === 'jobs_changed') seen.push(event);
  };
  client.stream('agent.follow', { tree }, { onEvent }).catch(() => null);
  await client.call('health.check', {});
  return seen;
}

test('a server that a model starts is reached by its next command, read, listed, and stopped', () =>
  withAgent(async (agent) => {
    const mark = markOf(agent);
    const seen = await followJobs(agent);
    const { texts } = await resultsOf(agent, [
      bash('c1', { command: serverCode(mark, 4321), background: true, job: 'web' }),
      bash('c2', { command: askServer(4321, '/one') }),
      bash('c3', { job: 'web', timeout: 60 }),
    ]);
    expect(texts).toEqual(['listens\n(job web is running)', 'served /one\n', 'asked /one\n(job web is running)']);
    // It runs on between turns, and is reached by the next one.
    const { tree, client } = agent;
    expect((await client.call('agent.job_list', { tree })).jobs).toMatchObject([
      { name: 'web', tree, ended: null, last: 'listens\nasked /one\n' },
    ]);
    const later = await resultsOf(agent, [
      bash('c4', { command: askServer(4321, '/two') }),
      bash('c5', { job: 'web', stop: true }),
      bash('c6', { command: askServer(4321, '/three') }),
      bash('c7', { job: 'web' }),
    ]);
    expect(later.texts).toEqual([
      'served /two\n',
      'asked /two\n(job web has ended: stopped by the model)',
      'refused\n',
      '(job web has ended: stopped by the model)',
    ]);
    expect(isAlive(mark)).toBe(false);
    await until(() => seen.length === 2);
    expect(seen).toMatchObject([
      { running: 1, told: null },
      { running: 0, told: null },
    ]);
  }));

test('what a job leaves in the project after its turn is told at its end', () =>
  withAgent(async (agent) => {
    const seen = await followJobs(agent);
    const leaves = 'mkdir -p node_modules/.bin; echo x >node_modules/.bin/tool; sleep 1000';
    await resultsOf(agent, [
      bash('c1', { command: `echo on; until [ -e go ]; do sleep 0.05; done; ${leaves}`, background: true }),
    ]);
    writeFileSync(join(agent.project, 'go'), '');
    await until(() => existsSync(join(agent.project, 'node_modules/.bin/tool')));
    await agent.client.call('agent.job_stop', { tree: agent.tree });
    await until(() => seen.length === 3);
    expect(seen[2]?.told).toBe(
      'the model made or changed what runs as you: as you install or build: node_modules/.bin',
    );
  }));

test('how a job ends is told to whoever follows, and to the model with its next call', () =>
  withAgent(async (agent) => {
    const seen = await followJobs(agent);
    const { texts } = await resultsOf(agent, [
      bash('c1', {
        command: 'echo begun | tee /tmp/kept; until [ -e go ]; do sleep 0.05; done; echo last; exit 3',
        background: true,
      }),
    ]);
    expect(texts).toEqual(['begun\n(job job-1 is running)']);
    writeFileSync(join(agent.project, 'go'), '');
    await until(() => seen.length === 2);
    expect(seen[1]).toMatchObject({ running: 0, told: 'job job-1 has ended: exit code 3' });
    const later = await resultsOf(agent, [
      call('c2', 'read', { path: 'go' }),
      bash('c3', { command: 'cat /tmp/kept' }),
      bash('c4', { job: 'job-1' }),
    ]);
    expect(later.texts[0]).toContain('(job job-1 has ended: exit code 3)');
    expect(later.texts.slice(1)).toEqual(['begun\n', 'last\n(job job-1 has ended: exit code 3)']);
  }));
