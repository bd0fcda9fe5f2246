import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { commandPermission, covers } from '../../../../hub/agent/tools/call_permissions.js';
import { NodeId } from '../../../../hub/protocol/node.js';
import type { TurnOutcome } from '../../../../hub/protocol/turn.js';
import { say } from '../../../support/model/script.js';
import { type TestAgent, told, withAgent } from '../../../support/turns.js';
import { call, words } from '../turn/turn_calls.js';
import { answering } from './question_calls.js';

const ASK = { model: 'anthropic/claude-sonnet-5', level: 'ask' as const };

/** Runs a turn of the calls, each in an answer of its own, until it asks or ends. */
async function turnOf(agent: TestAgent, calls: [string, object][], parent?: NodeId): Promise<TurnOutcome> {
  agent.server.script(...calls.map(([tool, input], index) => say(call(`c${index}`, tool, input))), say(words('Done.')));
  return agent.run(await agent.say('go', parent), { change: ASK });
}

function open({ questions }: TurnOutcome) {
  const found = questions.find(({ answer }) => answer === null);
  if (found === undefined) throw new Error('nothing is asked');
  return found;
}

const reply = (agent: TestAgent, outcome: TurnOutcome, answer: string | { option: number }) =>
  answering(agent, agent.client)({ turn: outcome.turn, call: open(outcome).id, answer });

const resultsOf = async (agent: TestAgent, { tip }: TurnOutcome) =>
  told(await agent.path(tip)).filter((line) => /^(read|write|edit|bash): /.test(line));

test('each change and each command is put to the person first, a look is not', async () => {
  await withAgent(async (agent) => {
    const { project } = agent;
    writeFileSync(join(project, 'a.txt'), 'one\ntwo\nthree\nfour\nfive\n');
    let outcome = await turnOf(agent, [
      ['read', { path: 'a.txt' }],
      ['edit', { path: 'a.txt', old_text: 'three', new_text: '3\u200b' }],
      ['write', { path: 'deep/new.txt', content: 'x\ny\n' }],
      ['bash', { command: 'echo out > made\necho "more"' }],
    ]);
    const file = join(project, 'a.txt');
    expect(open(outcome)).toMatchObject({
      kind: 'permission',
      question: `May ${file} be changed?\n  [line 3]\n  one\n  two\n- three\n+ 3\\u{200b}\n  four\n  five`,
      options: ['allow', `allow changes of ${file}`, 'deny', 'allow everything in this conversation'],
    });
    expect(readFileSync(file, 'utf8')).toContain('three');
    outcome = await reply(agent, outcome, { option: 1 });
    expect(readFileSync(file, 'utf8')).toContain('3\u200b');
    expect(open(outcome).question).toBe(`May ${join(project, 'deep/new.txt')} be changed?\n  [line 1]\n+ x\n+ y\n  `);
    expect(existsSync(join(project, 'deep'))).toBe(false);
    outcome = await reply(agent, outcome, 'not there, use lib/');
    expect(open(outcome).question).toBe('May this run?\n  $ echo out > made\n  > echo "more"');
    expect(existsSync(join(project, 'made'))).toBe(false);
    outcome = await reply(agent, outcome, 'deny');
    expect(outcome.state).toBe('done');
    expect((await resultsOf(agent, outcome)).slice(2)).toEqual([
      'write: not run: the person did not allow it, and said: not there, use lib/',
      'bash: not run: the person did not allow it',
    ]);
    expect(existsSync(join(project, 'made')) || existsSync(join(project, 'deep'))).toBe(false);
  });
});

test('what is permitted for a conversation holds on its path, for what it says, and nowhere else', async () => {
  await withAgent(async (agent) => {
    const { client, project } = agent;
    let outcome = await turnOf(agent, [
      ['bash', { command: 'echo one' }],
      ['bash', { command: 'echo one two' }],
      ['bash', { command: 'echo one; echo two' }],
    ]);
    outcome = await reply(agent, outcome, { option: 2 });
    expect(open(outcome).question).toContain('$ echo one; echo two');
    outcome = await reply(agent, outcome, { option: 2 });
    expect(outcome.state).toBe('done');
    const first = outcome.tip;
    const { permissions } = await client.call('agent.permission_list', { node: first });
    expect(permissions.map(({ text }) => text)).toEqual([
      'allow commands of plain words that begin with: echo one',
      'allow exactly this in this conversation: $ echo one; echo two',
    ]);
    const again: [string, object][] = [
      ['bash', { command: 'echo one; echo two' }],
      ['bash', { command: 'echo one three' }],
      ['write', { path: 'a.txt', content: 'x' }],
    ];
    outcome = await turnOf(agent, again, first);
    expect(open(outcome).question).toContain(join(project, 'a.txt'));
    outcome = await reply(agent, outcome, { option: 4 });
    expect((await turnOf(agent, [['bash', { command: 'touch b && rm b' }]], outcome.tip)).state).toBe('done');
    // A branch from above knows nothing of it.
    outcome = await turnOf(agent, [['bash', { command: 'echo one' }]], NodeId.parse(agent.tree));
    expect(outcome.state).toBe('waiting');
  });
});

test('what is permitted is taken back from the next turn on, one or all', async () => {
  await withAgent(async (agent) => {
    const { client } = agent;
    const calls: [string, object][] = [
      ['bash', { command: 'echo one' }],
      ['bash', { command: 'date -u' }],
    ];
    let outcome = await turnOf(agent, calls);
    outcome = await reply(agent, outcome, { option: 2 });
    outcome = await reply(agent, outcome, { option: 2 });
    const { tip: node } = outcome;
    const { permissions } = await client.call('agent.permission_list', { node });
    expect(permissions).toHaveLength(2);
    const [, second] = permissions;
    if (second === undefined) throw new Error('one is missing');
    for (const _ of [1, 2]) {
      const taken = client.call('agent.permission_withdraw', { node, ids: [second.id] });
      if (_ === 1) expect(await taken).toEqual({ withdrawn: [second.text] });
      else await expect(taken).rejects.toMatchObject({ kind: 'not_found' });
    }
    outcome = await turnOf(agent, calls, node);
    expect(open(outcome).question).toContain('$ date -u');
    outcome = await reply(agent, outcome, 'deny');
    expect((await client.call('agent.permission_withdraw', { node: outcome.tip })).withdrawn).toHaveLength(1);
    expect((await client.call('agent.permission_list', { node: outcome.tip })).permissions).toEqual([]);
    expect(open(await turnOf(agent, calls, outcome.tip)).question).toContain('$ echo one');
    expect((await client.call('loom.fsck', {})).problems).toEqual([]);
  });
});

test('a page is put to the person by its address, and permitted for its host', async () => {
  await withAgent(async (agent) => {
    const web = { ...ASK, web: true };
    const pages = ['http://127.0.0.1:9/a?q=1', 'http://127.0.0.1:9/b', 'http://localhost:9/'];
    agent.server.script(say(...pages.map((url, index) => call(`c${index}`, 'fetch', { url }))), say(words('Done.')));
    let outcome = await agent.run(await agent.say('go'), { change: web });
    expect(open(outcome)).toMatchObject({
      kind: 'permission',
      question: 'May this page be fetched?\n  http://127.0.0.1:9/a?q=1',
      options: ['allow', 'allow pages of 127.0.0.1:9', 'deny', 'allow everything in this conversation'],
    });
    outcome = await reply(agent, outcome, { option: 2 });
    expect(open(outcome).question).toContain('http://localhost:9/');
    outcome = await reply(agent, outcome, 'deny');
    const results = told(await agent.path(outcome.tip)).filter((line) => line.startsWith('fetch: '));
    expect(results).toHaveLength(3);
    expect(results[1]).not.toContain('not allow');
    expect(results[2]).toBe('fetch: not run: the person did not allow it');
  });
});

test('a file that changes after the person has seen the change is not written', async () => {
  await withAgent(async (agent) => {
    const file = join(agent.project, 'a.txt');
    writeFileSync(file, 'mine\n');
    let outcome = await turnOf(agent, [['write', { path: 'a.txt', content: 'new\n' }]]);
    writeFileSync(file, 'mine, and more\n');
    outcome = await reply(agent, outcome, 'allow');
    expect(outcome.state).toBe('done');
    expect(await resultsOf(agent, outcome)).toEqual([
      'write: not done: the file has changed since the person saw what would become of it (read it again)',
    ]);
    expect(readFileSync(file, 'utf8')).toBe('mine, and more\n');
  });
});

test('what could not be done is not asked about, nor what a person could not read', async () => {
  await withAgent(async (agent) => {
    mkdirSync(join(agent.project, '.git'));
    const outcome = await turnOf(agent, [
      ['edit', { path: 'nowhere', old_text: 'a', new_text: 'b' }],
      ['write', { path: '.git/config', content: 'x' }],
      ['write', { path: 'large', content: 'x\n'.repeat(20_000) }],
      ['bash', { command: 'echo \u202e' }],
    ]);
    expect(outcome.state).toBe('done');
    const results = await resultsOf(agent, outcome);
    const parts = ['nowhere does not exist', 'outside of what may be written', '32768 characters', 'would not see'];
    parts.forEach((part, index) => {
      expect(results[index]).toContain(part);
    });
  });
});

test('a prefix covers plain words alone, whatever else is written behind it', () => {
  const wanted = (command: string) => commandPermission('c', { command, isSandboxed: true, isJob: false });
  const { question, options } = wanted('npm test');
  const given = [{ id: NodeId.parse('00000000-0000-4000-8000-000000000000'), question, answer: options[1] ?? '' }];
  const id = NodeId.parse('00000000-0000-4000-8000-000000000001');
  expect(covers(given, { id }, wanted('npm test --watch src/a.ts'))).toBe(true);
  const rest = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(...[';', '\n', '$(', '`', '|', '&', '>', '<', ' #', '*']),
  );
  fc.assert(
    fc.property(fc.array(rest, { minLength: 1 }), (pieces) => {
      const command = `npm test${pieces.join('')}`;
      if (covers(given, { id }, wanted(command))) expect(command).toMatch(/^npm test( [\w@%+=:,./ -]*)?$/);
    }),
  );
  for (const other of ['npm tests', 'npm  test', ' npm test', 'npm', 'npm install test', 'npm test\nrm x']) {
    expect(covers(given, { id }, wanted(other)), other).toBe(false);
  }
});
