import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { words } from '../../hub/agent/turn/turn_calls.js';
import { agentBin, pathWith } from '../../support/agents/agent_bin.js';
import { withCli } from '../../support/cli.js';
import { connectTo, killHub } from '../../support/hub.js';
import { say } from '../../support/model/script.js';
import { KEY, withModelServer } from '../../support/model_server.js';
import { processesWith, until } from '../../tools/bash/processes.js';
import { startProgram } from '../shell.js';

interface Answer {
  session: string;
  tree: string;
  text: string;
  synthesis_by: string;
  members: { model: string; rounds: number; node: string | null; failure: string | null }[];
  tokens: number;
}

function answerIn(printed: string): Answer {
  return JSON.parse(printed);
}

test('each model answers on its own, then knowing the others, in a branch of its own, and the session goes on from the synthesis', () =>
  withCli(async ({ run, print }) => {
    const { code, stdout } = await run([
      ...['group', 'which colour?', '--with', 'demo×2', '--session', 'colours'],
      ...['--output-format', 'one line', '--json'],
    ]);
    expect(code).toBe(0);
    const answer = answerIn(stdout);
    expect(answer).toMatchObject({ session: 'colours', synthesis_by: 'demo 1' });
    expect(answer.members.map(({ model, rounds, failure }) => ({ model, rounds, failure }))).toEqual([
      { model: 'demo 1', rounds: 2, failure: null },
      { model: 'demo 2', rounds: 2, failure: null },
    ]);
    const own = await print('context', 'colours', answer.members[0]?.node ?? '');
    expect(own).toMatch(/which colour\?[\s\S]*You are demo 1[\s\S]*<answer from="demo 2">/);
    expect(own).not.toContain('You are demo 2');
    await print('consult', 'demo: say further', '--model', 'demo', '--session', 'colours');
    const { node, branches } = Object(JSON.parse(await print('sessions', 'colours', '--json')));
    const path = await print('context', 'colours', node);
    expect(path).toMatch(/which colour\?[\s\S]*Write one answer[\s\S]*in this form: one line[\s\S]*further/);
    expect(path).not.toContain('You are demo');
    expect(branches).toBe(3);
  }));

test('one that fails is told, and the others go on without it; when nobody is left that is the failure', () =>
  withCli(async ({ run }) => {
    const gone = { OLLAMA_HOST: 'http://127.0.0.1:9' };
    const one = await run(['group', 'hello', '--with', 'ollama/none,demo', '--rounds', '1'], { env: gone });
    expect(one.code).toBe(0);
    expect(one.stderr).toMatch(/ollama\/none goes no further: /);
    expect(one.stderr).toContain('demo puts it together.');
    expect(one.stderr).toMatch(/In all: [\d,]+ tokens, \$/);
    const none = await run(['group', 'hello', '--with', 'ollama/none'], { env: gone });
    expect(none.code).toBeGreaterThan(0);
    expect(none.stderr).toContain('no model of the group could answer: ollama/none: ');
  }));

test('what it may cost is shared: when that is spent nobody is asked any more', () =>
  withModelServer((server) =>
    withCli(async ({ run, home }) => {
      const env = { PRICED_KEY: KEY };
      const kind = ['server.priced.kind = anthropic', 'server.priced.key_env = PRICED_KEY'];
      const lines = [`server.priced.base_url = ${server.origin}`, ...kind, 'server.priced.prices = 10/100'];
      mkdirSync(home, { recursive: true, mode: 0o700 });
      writeFileSync(join(home, 'config'), `${lines.join('\n')}\n`);
      const answers = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];
      server.script(...answers.map((answer) => say(words(answer))));
      const question = ['group', 'which?', '--with', 'priced/m×3', '--rounds', '2'];
      const spent = await run([...question, '--max-cost', '0.000001'], { env });
      expect(spent.code).toBeGreaterThan(0);
      expect(spent.stderr).toMatch(/no model of the group could answer: [\s\S]*what the group may cost is spent/);
      expect(server.requests.length).toBeLessThanOrEqual(3);
      server.script(...answers.map((answer) => say(words(answer))));
      expect((await run([...question, '--max-cost', '5'], { env })).code).toBe(0);
    }),
  ));

test('one that is cancelled leaves no process, and each exchange says so', () =>
  withCli(async (cli) => {
    const bin = agentBin('claude', 'codex');
    const env = { PATH: pathWith(bin), ANTHROPIC_API_KEY: 'sk-test' };
    const started = startProgram(cli, ['group', '[[hang]]', '--with', 'claude,codex', '--session', 'hung'], env);
    const client = await connectTo(cli.home);
    await until(
      async () =>
        (await client.call('outside.list', {})).running.filter(({ session }) => session !== null).length === 2,
    );
    started.child.kill('SIGINT');
    expect((await started.ended).code).toBe(130);
    await until(async () => (await client.call('outside.list', {})).running.length === 0);
    const { tree } = Object(JSON.parse(await cli.print('sessions', 'hung', '--json')));
    const { leaves } = await client.call('loom.context_list_leaves', { tree, limit: 10 });
    const ends = await Promise.all(leaves.map(({ node: { id } }) => client.call('loom.node_get', { node: id })));
    const ended = ends.map(({ node }) => Object(node).external?.handle.metadata);
    expect(ended.map(({ agent, fault }) => `${agent} ${fault}`).sort()).toEqual([
      'claude cancelled',
      'codex cancelled',
    ]);
    await client.close();
    await killHub(cli.home);
    await until(() => processesWith(bin).length === 0);
  }));

test('with a tree it is a branch beside the conversation, which stays where it is', () =>
  withCli(async ({ run, print }) => {
    await run(['ask', 'demo: say first', '--model', 'demo']);
    const before = await print('context', '@');
    const { stdout, stderr } = await run(['group', '@', 'is that right?', '--with', 'demo', '--rounds', '1']);
    expect(stdout.trim()).not.toBe('');
    expect(stderr).toContain('It is a branch of its own.');
    expect(await print('context', '@')).toBe(before);
  }));

test('wrong words and unknown or deprecated models are refused before anything is said', () =>
  withCli(async ({ run }) => {
    const refused = async (...words: string[]): Promise<string> => {
      const { code, stderr } = await run(['group', ...words]);
      expect(code).toBeGreaterThan(0);
      return stderr;
    };
    expect(await refused()).toContain('group takes a question');
    expect(await refused('hello')).toContain('--with, the models');
    expect(await refused('hello', '--with', 'no/such')).toContain('no/such');
    expect(await refused('hello', '--with', 'demo,claude-3-opus')).toContain('deprecated');
    expect(await refused('hello', '--with', 'demo', '--rounds', '6')).toContain('from 1 to 5');
    expect(await refused('hello', '--with', 'demo×9')).toContain('1 to 8');
    expect(await refused('hello', '--with', 'claude')).toMatch(
      /claude is not installed here[\s\S]*install it: npm[\s\S]*or name a model/,
    );
    expect(await refused('hello', '--with', '')).toContain('lanes');
    expect((await run(['list'])).stdout).not.toContain('hello');
  }));

test('in a chat /consult and /group ask beside the conversation', () =>
  withCli(async ({ run, print }) => {
    const lines = [
      'demo: say first',
      '/consult demo demo: say beside',
      '/group demo,demo what now?',
      'demo: say second',
    ];
    const { stdout, stderr } = await run(['chat', '--model', 'demo'], { input: `${lines.join('\n')}\n/quit\n` });
    expect(stdout).toContain('beside');
    expect(`${stdout}${stderr}`).toMatch(/Round 2 of 2: demo 1, demo 2/);
    expect(`${stdout}${stderr}`).toContain('In all: ');
    const path = await print('context', '@');
    expect(path).toMatch(/first[\s\S]*second/);
    expect(path).not.toContain('beside');
    expect(await print('show', '@')).toContain('what now?');
  }));
