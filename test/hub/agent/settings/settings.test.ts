import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pathTokens } from '../../../../hub/agent/estimate/token_estimate.js';
import { environmentText } from '../../../../hub/agent/settings/instructions.js';
import { systemPromptFor } from '../../../../hub/agent/settings/system_prompts.js';
import { definitionsFor } from '../../../../hub/agent/tools/tool_definitions.js';
import { PROVIDER_RECORDS } from '../../../../hub/base/provider_records.js';
import type { Settings } from '../../../../hub/protocol/node.js';
import { Level } from '../../../../hub/protocol/turn.js';
import { fail, say } from '../../../support/model/script.js';
import { KEY } from '../../../support/model_server.js';
import { withAgent } from '../../../support/turns.js';
import { call, words } from '../turn/turn_calls.js';

const SYSTEM_TOKENS_MAX = 350;
const TOOLS_TOKENS_MAX = 700;
const OTHERS_TOKENS_MAX = 550;

test.each(Level.options)('the system prompt and the tools of %s fit their budgets', (level) => {
  const estimate = (system_prompt: string, tools: Settings['tools']) =>
    pathTokens([], { measure: null, prefix: { system_prompt, tools } });
  const environment = environmentText({
    ...{ project: '/srv/somebody/things/project', cwd: '/srv/somebody/things/project', refused: [] },
    ...{ instructions: [], skills: [] },
    environment: { date: '2026-11-19', system: 'Linux (Debian GNU/Linux 12 (bookworm)), x64', branch: 'main' },
  });
  const tools = estimate('', definitionsFor(level));
  const system = estimate(`${systemPromptFor(level)}\n\n${environment}`, definitionsFor(level)) - tools;
  console.log(`${level}: system prompt ${system} tokens, tools ${tools} tokens`);
  expect(system).toBeLessThanOrEqual(SYSTEM_TOKENS_MAX);
  expect(tools).toBeLessThanOrEqual(TOOLS_TOKENS_MAX);
});

test('tools by which others work fit a budget of their own, are for orchestrators, and are there only where a person wants them', () => {
  const measure = (tools: Settings['tools']) => pathTokens([], { measure: null, prefix: { system_prompt: '', tools } });
  const names = (level: Level, others: boolean) =>
    definitionsFor(level, { web: false, others }).map(({ name }) => name);
  const all = definitionsFor('orchestrator', { web: false, others: true });
  const more = measure(all) - measure(definitionsFor('orchestrator'));
  console.log(`tools by which others work: ${more} tokens`);
  expect(more).toBeLessThanOrEqual(OTHERS_TOKENS_MAX);
  expect(names('orchestrator', true)).toContain('work_with');
  for (const level of Level.options.filter((one) => one !== 'orchestrator')) {
    expect(names(level, true)).toEqual(names(level, false));
  }
});

test('each parameter of each tool has its words', () => {
  const untold = (schema: object, path: string): string[] =>
    Object.entries(Object(Reflect.get(schema, 'properties'))).flatMap(([name, property]) => [
      ...(Reflect.get(Object(property), 'description') === undefined ? [`${path}.${name}`] : []),
      ...untold(Object(property), `${path}.${name}`),
    ]);
  const all = Level.options.flatMap((level) => definitionsFor(level, { web: true, others: true }));
  expect(all.flatMap(({ name, schema }) => untold(schema, name))).toEqual([]);
});

test('tools have the names and inputs that are promised', () => {
  const shapes = definitionsFor('minimal').map(({ name, schema }) => [
    name,
    Object.keys(Object(schema.properties)),
    schema.required,
  ]);
  expect(shapes).toEqual([
    ['read', ['path', 'offset', 'limit'], ['path']],
    ['write', ['path', 'content'], ['path', 'content']],
    ['edit', ['path', 'old_text', 'new_text'], ['path', 'old_text', 'new_text']],
    ['bash', ['command', 'timeout', 'background', 'job', 'stop'], undefined],
  ]);
});

test('instructions and skills are read at the first turn, and stay as they were until somebody reloads them', async () => {
  await withAgent(async ({ say: ask, run, settingsAt, project, hub, server }) => {
    const deep = join(project, 'deep');
    mkdirSync(join(project, '.cognition', 'skills', 'sing'), { recursive: true });
    mkdirSync(deep);
    writeFileSync(join(hub.home, 'AGENTS.md'), 'Be kind.\n');
    writeFileSync(join(project, 'AGENTS.md'), 'Use tabs.\n');
    writeFileSync(join(project, 'CLAUDE.md'), 'Use tabs.\n');
    writeFileSync(join(deep, 'CLAUDE.md'), 'Deep rules.\n');
    const skill = '---\nname: sing\ndescription: "Sings a song"\n---\n# How\n';
    writeFileSync(join(project, '.cognition', 'skills', 'sing', 'SKILL.md'), skill);
    const first = await run(await ask('hello'), { cwd: deep });
    const { system_prompt: prompt } = await settingsAt(first.tip);
    expect(prompt.startsWith(systemPromptFor('orchestrator'))).toBe(true);
    const order = ['Be kind.', 'Use tabs.', 'Deep rules.', '- sing: Sings a song ('].map((part) =>
      prompt.indexOf(part),
    );
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(order[0]).toBeGreaterThan(0);
    expect(prompt.split('Use tabs.')).toHaveLength(2);

    writeFileSync(join(project, 'AGENTS.md'), 'Use spaces.\n');
    const second = await run(await ask('again', first.tip), { change: null });
    expect(await settingsAt(second.tip)).toEqual(await settingsAt(first.tip));
    const beside = await run(await ask('another branch'), { change: null });
    expect(await settingsAt(beside.tip)).toEqual(await settingsAt(first.tip));
    const third = await run(await ask('now', second.tip), { change: { reload: true } });
    expect((await settingsAt(third.tip)).system_prompt).toContain('Use spaces.');
    const level = await run(await ask('look', second.tip), { change: { level: 'readonly' } });
    expect((await settingsAt(level.tip)).system_prompt).toContain('Use tabs.');
    expect((await settingsAt(level.tip)).system_prompt.startsWith(systemPromptFor('readonly'))).toBe(true);
    expect(server.requests).toHaveLength(5);
  });
});

test('instructions of a project cannot be a link to something outside of it', async () => {
  await withAgent(async ({ say: ask, run, settingsAt, project, hub }) => {
    writeFileSync(join(hub.home, '..', 'secret.txt'), 'a secret');
    symlinkSync(join(hub.home, '..', 'secret.txt'), join(project, 'AGENTS.md'));
    const { tip } = await run(await ask('hello'));
    expect((await settingsAt(tip)).system_prompt).not.toMatch(/a secret|# Instructions/);
  });
});

test('instructions may be a link within the project, and a turn names the ones that it did not read', async () => {
  await withAgent(async ({ say: ask, begin, settingsAt, project, hub }) => {
    mkdirSync(join(project, 'deep'));
    writeFileSync(join(project, 'GUIDE.md'), 'Use tabs.');
    symlinkSync('GUIDE.md', join(project, 'AGENTS.md'));
    symlinkSync('../../home', join(project, 'deep', 'AGENTS.md'));
    symlinkSync(join(hub.home, '..'), join(project, 'deep', 'CLAUDE.md'));
    const turn = begin(await ask('hello'), { cwd: join(project, 'deep') });
    const { tip } = await turn.outcome;
    expect((await settingsAt(tip)).system_prompt).toContain('Use tabs.');
    expect(await turn.event('turn_started')).toMatchObject({
      instructions: [join(project, 'AGENTS.md')],
      refused: ['AGENTS.md', 'CLAUDE.md'].map((name) => join(project, 'deep', name)),
    });
  });
});

test('each request begins with the bytes of the one before, settings and calls included', async () => {
  await withAgent(async ({ say: ask, run, server }) => {
    server.script(say(words('Look.'), call('c1', 'bash', { timeout: 5, command: 'echo a' })), say(words('Fine.')));
    const { tip } = await run(await ask('one'));
    await run(await ask('two', tip), { change: null });
    const [first, second, third] = server.requests.map(({ body }) => withoutMarks(body));
    for (const [before, after] of [
      [first, second],
      [second, third],
    ]) {
      expect(after?.head).toBe(before?.head);
      expect(after?.messages.startsWith(before?.messages.slice(0, -1) ?? '-')).toBe(true);
    }
  });
});

function withoutMarks({ messages, system, tools }: Record<string, unknown>) {
  const plain = (value: unknown): string => JSON.stringify(value).replaceAll(/,"cache_control":\{[^}]*\}/g, '');
  return { head: plain([system, tools]), messages: plain(messages) };
}

test('a key is in no row, log, event or error', async () => {
  await withAgent(async ({ say: ask, begin, server, hub, client, tree, project }) => {
    server.script(fail(401, `invalid x-api-key: ${KEY}`, { type: 'authentication_error' }), say(words('Hello.')));
    const node = await ask('hello');
    const turns = [begin(node), begin(node)];
    const outcomes = await Promise.all(turns.map(({ outcome }) => outcome));
    const wrong = { anthropic: { base_url: null, key: KEY, more: KEY } };
    const refused = await client
      .call('agent.run', { tree, node, cwd: project, access: wrong } as never) // a field too many, on purpose
      .catch((error: unknown) => error);
    const told = JSON.stringify([outcomes, turns.map(({ events }) => events), String(refused), refused]);
    expect(told).not.toContain(KEY);
    const files = readdirSync(hub.home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    for (const { parentPath, name } of files) {
      expect(readFileSync(join(parentPath, name)).includes(KEY), name).toBe(false);
    }
    expect(files.length).toBeGreaterThan(2);
  });
});

test('without a key nothing is begun, and one line says what to do', async () => {
  await withAgent(async ({ say: ask, run, client, tree }) => {
    const node = await ask('hello');
    await expect(run(node, { access: {} })).rejects.toMatchObject({ kind: 'no_key' });
    await expect(run(node, { access: {}, change: null })).rejects.toMatchObject({ kind: 'no_key' });
    await expect(client.call('agent.check', { access: {} })).rejects.toMatchObject({ kind: 'no_key' });
    expect(await client.call('agent.check', { access: {}, usual_model: 'demo' })).toMatchObject({ model: 'demo/demo' });
    expect((await client.call('loom.turn_list', { tree })).turns).toEqual([]);
    const { providers } = await client.call('agent.providers', {});
    expect(providers.map(({ name }) => name)).toEqual(PROVIDER_RECORDS.map(({ name }) => name));
  });
});
