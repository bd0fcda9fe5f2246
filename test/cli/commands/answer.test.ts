import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { call, words } from '../../hub/agent/turn/turn_calls.js';
import { PROGRAM, type TestCli, userHomeBeside, withCli } from '../../support/cli.js';
import { connectTo, killHub } from '../../support/hub.js';
import { say } from '../../support/model/script.js';
import { KEY, type ModelServer, withModelServer } from '../../support/model_server.js';
import { KEYS, withTerminal } from '../../support/terminal.js';
import { inShell } from '../shell.js';

const Waiting = z.object({
  ...{ state: z.string(), why: z.string(), turn: z.string(), tree: z.string() },
  questions: z.array(z.object({ id: z.string(), question: z.string() })),
});

type Env = Record<string, string>;

/** The program with the keys of a loopback server in its environment. */
function withModel(use: (cli: TestCli, server: ModelServer, env: Env) => Promise<void>) {
  return withModelServer((server) =>
    withCli((cli) =>
      use(cli, server, {
        ANTHROPIC_API_KEY: KEY,
        ANTHROPIC_BASE_URL: server.origin,
        COGNITION_MODEL: 'anthropic/claude-sonnet-5',
      }),
    ),
  );
}

const which = (id: string, question: string, options: string[] = []) => call(id, 'ask_user', { question, options });
const ASK = ['ask', 'plan it', '--level', 'plan'];

test('a question without a terminal exits with the approval code and how to answer; an answer goes on', async () => {
  await withModel(async ({ home, run }, server, env) => {
    server.script(
      say(words('Hm.'), which('c1', 'Which \u001b[31mway\u001b[0m?', ['left', 'right'])),
      say(words('Left.')),
    );
    const waiting = await run(ASK, { env });
    expect(waiting).toMatchObject({ code: 8, stdout: '' });
    expect(waiting.stderr).toContain(
      'It waits for an answer.\nWhich way?\n  1  left\n  2  right\nAnswer with: cognition answer --option 1\n',
    );
    const going = await run(['ask', '--continue'], { env });
    expect(going.code).toBe(8);
    expect(going.stderr).toContain('it waits for an answer: Which way?');
    expect(going.stderr).toContain('hint: answer it with: cognition answer --option 1');
    await killHub(home);
    const answered = await run(['answer', '--option', '1'], { env });
    expect(answered).toMatchObject({ code: 0, stdout: 'Left.\n' });
    expect(await run(['answer', 'too late'], { env })).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('no question is open in tree'),
    });
    expect((await run(['show'], { env })).stdout).toContain('Assistant: Left.');
  });
});

test('an answer in words may be any text, and stands in the tree as it was given', async () => {
  await withModel(async ({ run }, server, env) => {
    server.script(say(which('c1', 'Name?')), say(words('Good.')));
    await run(ASK, { env });
    const empty = await run(['answer', '  '], { env });
    expect(empty).toMatchObject({ code: 2, stderr: expect.stringContaining('an answer needs some text') });
    const done = await run(['answer', '@', '-'], { env, input: '数据 👩‍👩‍👧 e\u0301\nsecond line' });
    expect(done).toMatchObject({ code: 0, stdout: 'Good.\n' });
    expect(JSON.stringify(server.requests.at(-1)?.body.messages)).toContain('数据 👩‍👩‍👧 e\u0301\\nsecond line');
  });
});

test('several open questions are listed, and each is answered by its number', async () => {
  await withModel(async ({ run }, server, env) => {
    server.script(say(which('c1', 'First?'), which('c2', 'Second?', ['a'])), say(words('Both.')));
    const waiting = await run([...ASK, '--json'], { env });
    expect(waiting.code).toBe(8);
    const outcome = Waiting.parse(JSON.parse(waiting.stdout));
    expect(outcome).toMatchObject({ state: 'waiting', why: 'question' });
    expect(outcome.questions.map(({ question }) => question)).toEqual(['First?', 'Second?']);
    const unclear = await run(['answer', 'x'], { env });
    expect(unclear.code).toBe(3);
    expect(unclear.stderr).toContain('2 questions are open:\n1. First?\n2. Second?\n     1  a\n');
    expect((await run(['answer', 'x', '--question', '3'], { env })).code).toBe(3);
    const half = await run(['answer', '@', '--option', '1', '--question', '2'], { env });
    expect(half).toMatchObject({ code: 8, stderr: expect.stringContaining('First?') });
    const costly = await run(['answer', 'one', '--max-cost', '10'], { env });
    expect(costly).toMatchObject({ code: 2, stderr: expect.stringContaining('the price of') });
    const done = await run(['answer', 'one', '--jsonl', '--max-turns', '5', '--net'], { env });
    expect(done.code).toBe(0);
    const kinds = done.stdout
      .trim()
      .split('\n')
      .map((line) => z.object({ kind: z.string() }).parse(JSON.parse(line)).kind);
    expect(kinds.slice(0, 2)).toEqual(['turn_resumed', 'question_answered']);
    expect(kinds.at(-1)).toBe('turn_ended');
  });
});

test('on a terminal a question is put at once, and a number chooses its option', async () => {
  await withModel(async ({ home, folder, run }, server, env) => {
    server.script(say(which('c1', 'Which?', ['left', 'right'])), say(which('c2', 'Sure?')), say(words('Right it is.')));
    const surroundings = { ...env, COGNITION_HOME: home, HOME: userHomeBeside(folder) };
    const options = { command: process.execPath, args: [PROGRAM, ...ASK], cwd: folder, env: surroundings };
    await withTerminal(options, async (terminal) => {
      await terminal.waitFor('Your answer, or a number:');
      terminal.type('2', KEYS.enter);
      await terminal.waitFor('Your answer:');
      terminal.type('yes', KEYS.enter);
      await terminal.waitFor('Right it is.');
      expect((await terminal.exited).code).toBe(0);
    });
    expect(JSON.stringify(server.requests[1]?.body.messages)).toContain('right');
    server.script(say(which('c3', 'And now?')));
    const later = { ...options, args: [PROGRAM, 'ask', '@', 'more'] };
    await withTerminal(later, async (terminal) => {
      await terminal.waitFor('Your answer:');
      terminal.type(KEYS.enter);
      expect((await terminal.exited).code).toBe(8);
      expect(terminal.screen().join('\n')).toContain('Answer with: cognition answer "…"');
    });
    expect(await run(['answer', 'now'], { env })).toMatchObject({ code: 0 });
  });
});

/** Everything as it is, but for the two programs that a sandbox is made with. */
const WITHOUT =
  'bwrap --dev-bind / / --ro-bind /dev/null /usr/bin/bwrap --ro-bind /dev/null /usr/bin/unshare --ro-bind /dev/null /usr/bin/perl';
const isBubblewrapHere = spawnSync('bwrap', ['--dev-bind', '/', '/', 'true']).status === 0;

/** What comes of allowing a command by the model's own id of it, which may be that of another by then. */
async function allowedByCall(home: string, cwd: string): Promise<unknown> {
  const client = await connectTo(home, { start: false });
  try {
    const [waiting] = (await client.call('agent.status', {})).turns;
    const params = { turn: waiting?.turn ?? '', call: waiting?.questions[0]?.call ?? '', answer: 'allow', cwd };
    return await client.stream('agent.answer', params, { onEvent: () => undefined }).catch((error: unknown) => error);
  } finally {
    await client.close();
  }
}

test.runIf(isBubblewrapHere)(
  'where no sandbox works each command waits to be allowed, and the rest of its step with it',
  async () => {
    await withModel(async (cli, server, env) => {
      const { folder } = cli;
      const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
      const run = (words: string) =>
        inShell(cli, `env ${variables.join(' ')} ${WITHOUT} "${process.execPath}" "${PROGRAM}" ${words}`);
      const bash = (id: string, command: string) => call(id, 'bash', { command });
      server.script(
        say(bash('c1', 'echo one > one; mkdir -p deep; cd deep'), bash('c2', 'cat ../one; echo two > two')),
        say(bash('c1', 'echo three > three')),
        say(words('Done.')),
      );
      const waiting = await run('ask go');
      expect(waiting.code).toBe(8);
      expect(waiting.stderr).toContain('May this run UNSANDBOXED, as in your own shell?\n  $ echo one > one');
      expect(waiting.stderr).toContain('  1  allow\n  2  allow for this turn\n  3  deny\n');
      expect(existsSync(join(folder, 'one'))).toBe(false);
      expect(await allowedByCall(cli.home, folder)).toMatchObject({ kind: 'invalid_params' });
      const first = await run('answer --option 1');
      expect(first).toMatchObject({ code: 8, stderr: expect.stringContaining('cat ../one; echo two > two') });
      expect(existsSync(join(folder, 'one'))).toBe(true);
      const second = await run('answer allow');
      // The model's own id of the call is that of one which was allowed: the command is another.
      expect(second).toMatchObject({ code: 8, stderr: expect.stringContaining('echo three > three') });
      expect(existsSync(join(folder, 'deep', 'two'))).toBe(true);
      const denied = await run('answer "not now, please"');
      expect(denied).toMatchObject({ code: 0, stdout: 'Done.\n' });
      expect(existsSync(join(folder, 'deep', 'three'))).toBe(false);
      const results = JSON.stringify(server.requests.at(-1)?.body.messages);
      expect(results).toContain('not run: the person did not allow it, and said: not now, please');
      expect(results).toContain('one\\n');
      server.script(say(bash('c1', 'touch a')), say(bash('c2', 'touch b')), say(words('Both.')));
      expect((await run('ask @ again')).code).toBe(8);
      expect(await run('answer --option 2')).toMatchObject({ code: 0, stdout: 'Both.\n' });
      server.script(say(bash('c1', 'touch c')));
      expect((await run('ask @ "only look" --level readonly')).code).toBe(8);
      expect((await run('answer allow')).code).toBe(3);
      expect(existsSync(join(folder, 'deep', 'c'))).toBe(false);
    });
  },
);

test.runIf(isBubblewrapHere)(
  'where no sandbox works a command is only put to a person who sees all of it',
  async () => {
    await withModel(async (cli, server, env) => {
      const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
      const run = (words: string) =>
        inShell(cli, `env ${variables.join(' ')} ${WITHOUT} "${process.execPath}" "${PROGRAM}" ${words}`);
      const hidden = [
        'ls \u001b]0; touch pwned #\u0007',
        'ls \u202e; touch pwned',
        'ls\u200b',
        `ls ${' '.repeat(5_000)}`,
      ];
      server.script(
        say(...hidden.map((command, index) => call(`c${index}`, 'bash', { command }))),
        say(call('c9', 'spawn_session', { task: 'look' })),
        say(call('c10', 'bash', { command: 'ls' })),
        say(words('Done.')),
      );
      const ran = await run('ask go');
      expect(ran).toMatchObject({ code: 0, stdout: 'Done.\n' });
      expect(existsSync(join(cli.folder, 'pwned'))).toBe(false);
      const messages = JSON.stringify(server.requests.at(-1)?.body.messages);
      expect(messages.match(/a person must allow each command here, and this one holds characters/g)).toHaveLength(3);
      expect(messages).toContain('this one is longer than 4096 characters');
      // Nobody watches a sub-session: it cannot ask, and whoever started it is told why it ended.
      expect(messages).toContain('[The sub-session failed: no sandbox works on this machine');
    });
  },
);

test('a number chooses its option, and without an answer the question is shown', async () => {
  await withModel(async ({ run }, server, env) => {
    server.script(say(which('c1', 'Which?', ['left', 'right'])), say(which('c2', 'How many?')), say(words('Two.')));
    await run(ASK, { env });
    const nothing = await run(['answer'], { env });
    expect(nothing).toMatchObject({ code: 2, stdout: '' });
    expect(nothing.stderr).toMatch(
      /^cognition: an answer is missing to: Which\?\n {2}1 {2}left\n {2}2 {2}right\nhint: /,
    );
    expect((await run(['answer', '2'], { env })).code).toBe(8);
    expect(JSON.stringify(server.requests[1]?.body.messages)).toContain('right');
    expect(await run(['answer', '2'], { env })).toMatchObject({ code: 0, stdout: 'Two.\n' });
    expect(JSON.stringify(server.requests[2]?.body.messages)).toContain('"text":"2"');
  });
});

test('a parked turn can be ended without an answer, and a message goes on from there', async () => {
  await withModel(async ({ run }, server, env) => {
    server.script(say(which('c1', 'Why?')), say(words('Fine.')));
    await run(ASK, { env });
    expect(await run(['answer', '--stop', '--json'], { env })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"state":"interrupted"'),
    });
    expect(await run(['answer', '--stop'], { env })).toMatchObject({ code: 3 });
    expect(await run(['ask', '@', 'just do it'], { env })).toMatchObject({ code: 0, stdout: 'Fine.\n' });
  });
});

test('an invalid answer is refused before the hub is asked', async () => {
  await withModel(async ({ run }, server, env) => {
    server.script(say(which('c1', 'Which?', ['a'])), say(words('Fine.')));
    await run(ASK, { env });
    const refused = await Promise.all([
      run(['answer'], { env }),
      run(['answer', '--option', '1', '--stop'], { env }),
      run(['answer', '@', 'x', '--option', '1'], { env }),
      run(['answer', '--option', '0'], { env }),
      run(['answer', '--option', '2'], { env }),
      run(['answer', 'x', '--no-sandbox'], {}),
    ]);
    expect(refused.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2, 4]);
    expect(refused[5]?.stderr).toContain('UNSANDBOXED');
    expect(refused[4]?.stderr).toContain('hint: the options are: 1 a');
    expect(await run(['answer', 'a'], { env })).toMatchObject({ code: 0, stdout: 'Fine.\n' });
  });
});
