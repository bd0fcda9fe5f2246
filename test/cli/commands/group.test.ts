import { expect, test } from 'vitest';
import { withCli } from '../../support/cli.js';

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
