import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { systemPromptFor } from '../../../../hub/agent/settings/system_prompts.js';
import { NodeId } from '../../../../hub/protocol/node.js';
import { say } from '../../../support/model/script.js';
import { type TestAgent, told, withAgent } from '../../../support/turns.js';
import { call, words } from '../turn/turn_calls.js';

const PLAN = { model: 'anthropic/claude-sonnet-5', level: 'plan' as const };

/** Runs one step of calls where plans are made, and tells their results. */
async function planning(agent: TestAgent, calls: ReturnType<typeof call>[], grants = {}): Promise<string[]> {
  const { say: person, run, path, server } = agent;
  server.script(say(...calls), say(words('Done.')));
  const { tip, state } = await run(await person('plan it'), { change: PLAN, grants });
  expect(state).toBe('done');
  return told((await path(tip)).filter(({ kind }) => kind === 'external'));
}

test('where plans are made the plan can be written and edited, in a project that had none', async () => {
  await withAgent(async (agent) => {
    const results = await planning(agent, [
      call('c1', 'write', { path: '.cognition/plan.md', content: '# Goal\n数据 🎯\n' }),
      call('c2', 'edit', { path: join(agent.project, '.cognition/plan.md'), old_text: 'Goal', new_text: 'The goal' }),
      call('c3', 'read', { path: '.cognition/plan.md' }),
    ]);
    expect(readFileSync(join(agent.project, '.cognition/plan.md'), 'utf8')).toBe('# The goal\n数据 🎯\n');
    expect(results[2]).toContain('数据 🎯');
  });
});

test('nothing but the plan can be written there, whatever a person grants', async () => {
  await withAgent(async (agent) => {
    const { project } = agent;
    const outside = dirname(project);
    writeFileSync(join(project, 'a.txt'), 'kept');
    mkdirSync(join(project, 'deep'));
    const written = [
      'a.txt',
      'new.txt',
      '.cognition/other.md',
      '.cognition/plan.md/x',
      '.cognition/PLAN.md',
      'deep/.cognition/plan.md',
      '.cognition/../b.txt',
      `${outside}/.cognition/plan.md`,
      '/tmp/plan.md',
      '.git/config',
    ];
    const results = await planning(
      agent,
      [
        ...written.map((path, index) => call(`w${index}`, 'write', { path, content: 'x' })),
        call('e1', 'edit', { path: 'a.txt', old_text: 'kept', new_text: 'x' }),
        ...['echo x > a.txt', 'mkdir -p .cognition && echo x > .cognition/plan.md', 'rm -rf deep', 'mv deep other'].map(
          (command, index) => call(`b${index}`, 'bash', { command: `${command} && echo it worked` }),
        ),
      ],
      { unsandboxed: true, network: true, write_paths: [project, outside] },
    );
    expect(results).toHaveLength(written.length + 5);
    for (const result of results) {
      expect(result).not.toContain('it worked');
      expect(result).not.toMatch(/\[(wrote|made)/);
    }
    expect(readFileSync(join(project, 'a.txt'), 'utf8')).toBe('kept');
    expect(existsSync(join(project, '.cognition', 'plan.md'))).toBe(false);
    expect(existsSync(join(project, 'deep'))).toBe(true);
  });
});

test('a plan that a link leads elsewhere is not written', async () => {
  await withAgent(async (agent) => {
    const { project } = agent;
    const victim = join(dirname(project), 'victim');
    writeFileSync(victim, 'precious');
    mkdirSync(join(project, '.cognition'));
    symlinkSync(victim, join(project, '.cognition', 'plan.md'));
    const write = call('c1', 'write', { path: '.cognition/plan.md', content: 'gone' });
    const edit = call('c2', 'edit', { path: '.cognition/plan.md', old_text: 'precious', new_text: 'gone' });
    const [first, second] = await planning(agent, [write, edit]);
    expect(first).toContain('outside of what may be written here');
    expect(second).toMatch(/outside of what may be (written|read) here/);
    expect(readFileSync(victim, 'utf8')).toBe('precious');
  });
});

test('where the conversations are kept no plan is written, and the model is told why', async () => {
  await withAgent(async (agent) => {
    symlinkSync(agent.hub.home, join(agent.project, '.cognition'));
    const write = call('c1', 'write', { path: '.cognition/plan.md', content: 'gone' });
    expect((await planning(agent, [write]))[0]).toContain('lies where the conversations are kept');
    expect(existsSync(join(agent.hub.home, 'plan.md'))).toBe(false);
  });
});

test('a folder of plans that is a link is not followed', async () => {
  await withAgent(async (agent) => {
    const elsewhere = join(dirname(agent.project), 'elsewhere');
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, join(agent.project, '.cognition'));
    const [first] = await planning(agent, [call('c1', 'write', { path: '.cognition/plan.md', content: 'gone' })]);
    expect(first).toContain('outside of what may be written here');
    expect(existsSync(join(elsewhere, 'plan.md'))).toBe(false);
  });
});

test('there is no network where plans are made, whatever was granted', async () => {
  const server = createServer((_request, response) => void response.end('reached'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const command = `exec 3<>/dev/tcp/127.0.0.1/${port} && echo it worked`;
  await withAgent(async (agent) => {
    const [result] = await planning(agent, [call('c1', 'bash', { command })], { network: true });
    expect(result).not.toContain('it worked');
    const { say: person, run, path, server: model } = agent;
    model.script(say(call('c1', 'bash', { command })), say(words('Done.')));
    const { tip } = await run(await person('go'), { change: { level: 'minimal' }, grants: { network: true } });
    expect(told((await path(tip)).filter(({ kind }) => kind === 'external'))[0]).toContain('it worked');
  }).finally(() => void server.close());
});

test('a plan is carried out from the root with the settings of before, and the plan at the end of what is told', async () => {
  await withAgent(async (agent) => {
    const { say: person, run, settingsAt, client, server, tree, project } = agent;
    writeFileSync(join(project, 'AGENTS.md'), 'Use tabs.\n\n## Plan\n\nOurs.\n');
    const first = await run(await person('hello'), { change: { model: PLAN.model, thinking: 'low' } });
    const original = await settingsAt(first.tip);
    expect(await client.call('agent.plan_get', { node: first.tip })).toMatchObject({
      level: 'orchestrator',
      text: null,
    });
    server.script(
      say(call('c1', 'write', { path: '.cognition/plan.md', content: '1. Sing.\n' })),
      say(words('Ready.')),
    );
    const planned = await run(await person('plan', first.tip), { change: { level: 'plan' } });
    const settings = await settingsAt(planned.tip);
    expect(settings.level).toBe('plan');
    expect(settings.system_prompt.startsWith(systemPromptFor('plan'))).toBe(true);
    expect(settings.system_prompt).toContain('Use tabs.');
    const plan = await client.call('agent.plan_get', { node: planned.tip });
    expect(plan).toMatchObject({ level: 'plan', text: '1. Sing.\n', file: join(project, '.cognition/plan.md') });
    const carryOut = { from: plan.before, plan: plan.text };
    const done = await run(await person('Carry out the plan.', NodeId.parse(tree)), { change: carryOut });
    expect(await settingsAt(done.tip)).toEqual({
      ...original,
      system_prompt: `${original.system_prompt}\n\n## Plan\n\n1. Sing.\n`,
    });
    const again = await run(await person('plan again', done.tip), { change: { level: 'plan' } });
    const { before } = await client.call('agent.plan_get', { node: again.tip });
    const second = await run(await person('Now.', NodeId.parse(tree)), { change: { from: before, plan: '2. Dance.' } });
    expect(await settingsAt(second.tip)).toEqual({
      ...original,
      system_prompt: `${original.system_prompt}\n\n## Plan\n\n2. Dance.`,
    });
  });
});

test('a tree that began with a plan carries it out as an orchestrator, and never where plans are made', async () => {
  await withAgent(async (agent) => {
    const { say: person, run, settingsAt, client, tree } = agent;
    const planned = await run(await person('plan'), { change: PLAN });
    expect(await client.call('agent.plan_get', { node: planned.tip })).toMatchObject({ level: 'plan', before: null });
    const node = await person('Go.', NodeId.parse(tree));
    const done = await run(node, { change: { plan: 'Do it.' } });
    const { level, system_prompt: prompt } = await settingsAt(done.tip);
    expect(level).toBe('orchestrator');
    expect(prompt.startsWith(`${systemPromptFor('orchestrator')}\n\n# Environment\n\n`)).toBe(true);
    expect(prompt.endsWith('\n\n## Plan\n\nDo it.')).toBe(true);
    await expect(run(node, { change: { plan: 'Do it.', level: 'plan' } })).rejects.toMatchObject({
      kind: 'invalid_params',
    });
  });
});

test('a system prompt of somebody’s own is told where plans are made, and is itself again afterwards', async () => {
  await withAgent(async (agent) => {
    const { say: person, run, settingsAt } = agent;
    const own = { model: PLAN.model, system_prompt: 'Speak like a pirate.', level: 'minimal' as const };
    const first = await run(await person('hello'), { change: own });
    const planned = await run(await person('plan', first.tip), { change: { level: 'plan' } });
    expect((await settingsAt(planned.tip)).system_prompt).toBe(`Speak like a pirate.\n\n${systemPromptFor('plan')}`);
    const back = await run(await person('work', planned.tip), { change: { level: 'minimal' } });
    expect(await settingsAt(back.tip)).toEqual(await settingsAt(first.tip));
  });
});
