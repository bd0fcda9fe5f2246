import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { call, words } from '../../hub/agent/turn/turn_calls.js';
import { type TestCli, withCli } from '../../support/cli.js';
import { connectTo } from '../../support/hub.js';
import { breaking, fail, say } from '../../support/model/script.js';
import { KEY, type ModelServer, withModelServer } from '../../support/model_server.js';
import { inShell, startProgram } from '../shell.js';

const TREE = /^Tree: ([0-9a-f-]{36})$/m;
const Outcome = z.object({ state: z.string(), text: z.string(), tree: z.string() });
const Settled = z.object({ level: z.string(), system_prompt: z.string(), model: z.string() });

/** The program with the key of a loopback server in its environment. */
function withModel(use: (cli: TestCli, server: ModelServer, env: Record<string, string>) => Promise<void>) {
  return withModelServer((server) =>
    withCli((cli) => use(cli, server, { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.origin })),
  );
}

/** What the newest turn of a tree was told. */
async function settingsIn({ home }: TestCli, tree: string) {
  const client = await connectTo(home, { start: false });
  try {
    const [turn] = (await client.call('loom.turn_list', { tree })).turns;
    const { nodes } = await client.call('loom.context_get_path', { node: turn?.tip ?? tree });
    const sha256 = nodes.findLast(({ settings }) => settings !== null)?.settings ?? '';
    return Settled.parse((await client.call('loom.settings_get', { sha256 })).settings);
  } finally {
    await client.close();
  }
}

test('a task is done in a conversation of its own, and one stays where one stands', async () => {
  await withCli(async (cli) => {
    const { folder, run, print } = cli;
    writeFileSync(join(folder, 'main.py'), '');
    await print('new', 'mine');
    const ran = await run(['spawn', '--task', 'list the python files', '--model', 'demo']);
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('I found 1 Python file') });
    expect(ran.stderr).toMatch(/^Tree: [0-9a-f-]{36}\n.*\[bash\] ls \*\.py\n$/s);
    const [, tree = ''] = TREE.exec(ran.stderr) ?? [];
    expect(await print('list')).toMatch(/\* \S+ {2}mine/);
    expect(await print('show', tree)).toContain('[bash:ls *.py]');
    expect((await settingsIn(cli, tree)).level).toBe('orchestrator');
  });
});

test('a task can be done in a copy of the project, from which its files are taken', async () => {
  await withCli(async ({ folder, run, print }) => {
    const ran = await run(['spawn', '-t', 'demo: run echo made > a.txt', '-m', 'demo', '--own']);
    const [, tree = ''] = TREE.exec(ran.stderr) ?? [];
    expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining(`cognition pick 1 ${tree}`) });
    expect(readdirSync(folder)).not.toContain('a.txt');
    expect(await print('pick', '1', tree)).toBe('A  a.txt\n');
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('made\n');
  });
});

test('short words mean the same, what is piped in joins the task, and without streaming there is the answer alone', async () => {
  await withModel(async (cli, server, env) => {
    server.script(say(words('I look.'), call('c1', 'bash', { command: 'echo a' })), say(words('Fine.')));
    const words1 = ['spawn', '-t', 'review this', '-p', 'anthropic', '-m', 'haiku', '-s', 'You review.', '--no-stream'];
    const ran = await cli.run(words1, { env, input: 'the diff\n' });
    expect(ran).toMatchObject({ code: 0, stdout: 'Fine.\n' });
    expect(ran.stderr).toMatch(/^Tree: [0-9a-f-]{36}\nTranscript: .*\n$/);
    expect(server.requests[0]?.body).toMatchObject({ model: 'claude-haiku-4-5' });
    expect(JSON.stringify(server.requests[0]?.body.messages)).toContain('review this\\n\\nthe diff');
    const settings = await settingsIn(cli, TREE.exec(ran.stderr)?.[1] ?? '');
    expect(settings).toMatchObject({ system_prompt: 'You review.', model: 'anthropic/claude-haiku-4-5' });
    const piped = await cli.run(['spawn', '--provider', 'anthropic', '--stream'], { env, input: 'only this' });
    expect(piped).toMatchObject({ code: 0, stdout: 'Hello.\n' });
    expect(JSON.stringify(server.requests.at(-1)?.body.messages)).toContain('only this');
    const json = await cli.run(
      ['spawn', '-t', 'x', '-p', 'anthropic', '-m', 'claude-opus-4-8', '--system', 'Hm.', '--json'],
      {
        env,
      },
    );
    expect(Outcome.parse(JSON.parse(json.stdout))).toMatchObject({ state: 'done', text: 'Hello.' });
    expect(server.requests.at(-1)?.body).toMatchObject({ model: 'claude-opus-4-8' });
    const lines = await cli.run(['spawn', '-t', 'x', '-p', 'demo', '--jsonl'], { env });
    expect(lines.stdout.trimEnd().split('\n').length).toBeGreaterThan(3);
  });
});

test.each([
  [['--tool-level', 'admin'], /admin/],
  [['--provider', 'nobody'], /there is no provider "nobody"/],
  [['--provider', 'ollama'], /ollama has no usual model/],
  [['--parent-session', '@', '--tool-level', 'orchestrator'], /a sub-session cannot start sub-sessions/],
  [['--max-turns', '0'], /--max-turns takes a number/],
  [['--task', ' '], /the message is empty/],
])('wrong words are refused, and no conversation is left behind: %j', async (words, message) => {
  await withCli(async ({ run, print, json }) => {
    await print('new', 'mine');
    const ran = await run(['spawn', '--task', 'x', ...words]);
    expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(message) });
    expect(await json('list')).toHaveLength(1);
  });
});

test('without a task and with nothing piped in it says what is missing', async () => {
  await withCli(async (cli) => {
    const ran = await inShell(cli, 'cognition spawn -m demo < /dev/null');
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toBe('cognition: spawn takes a task\nhint: cognition spawn --task "what is to be done"\n');
  });
});

test('with a parent it belongs to that, and can start none itself', async () => {
  await withCli(async (cli) => {
    const { run, print, json } = cli;
    await print('new', 'mine');
    await print('add', '@', 'hello');
    const task = 'demo: call spawn_session {"task": "deeper"}';
    const ran = await run(['spawn', '-t', task, '-m', 'demo', '--parent-session', 'mine']);
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('there is no tool "spawn_session"') });
    const [, tree = ''] = TREE.exec(ran.stderr) ?? [];
    expect((await settingsIn(cli, tree)).level).toBe('minimal');
    expect(await json('list')).toHaveLength(1);
    const below = await run(['spawn', '-t', 'x', '-m', 'demo', '--parent-session', tree]);
    expect(below).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot start sub-sessions') });
    const raised = await run(['ask', tree, 'more', '--level', 'orchestrator']);
    expect(raised).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot start sub-sessions') });
    expect(await run(['spawn', '-t', 'x', '-m', 'demo', '--parent-session', 'nobody'])).toMatchObject({ code: 3 });
  });
});

test.each(['spawn', 'ask'])('with --no-spawn no sub-session is started, by %s at any level', async (command) => {
  await withCli(async (cli) => {
    const said = (text: string) => (command === 'ask' ? [text] : ['--task', text]);
    const task = 'demo: call spawn_session {"task": "deeper"}';
    for (const [level, kept] of [
      ['orchestrator', 'minimal'],
      ['minimal', 'minimal'],
      ['readonly', 'readonly'],
    ]) {
      const words = [command, ...said(task), '-m', 'demo', '--no-spawn', '--tool-level', level ?? ''];
      const ran = await cli.run(words);
      expect(ran.stdout).toContain('there is no tool "spawn_session"');
      expect((await settingsIn(cli, TREE.exec(ran.stderr)?.[1] ?? '')).level).toBe(kept);
    }
    const free = await cli.run([command, ...said(`${task}\ndemo: then\ndemo: say Done.`), '-m', 'demo']);
    expect(free).toMatchObject({ code: 0, stdout: 'Done.\n' });
    expect(free.stderr).toMatch(/\[spawn_session\] deeper\n {2}sub-session [0-9a-f]{8}, demo\/demo: deeper\n/);
  });
});

test('a failure has its exit code, a hint that goes on, and a signal keeps what was said', async () => {
  await withModel(async (cli, server, env) => {
    const { run } = cli;
    server.script(fail(401, 'invalid x-api-key', { type: 'authentication_error' }));
    const failed = await run(['spawn', '-t', 'x', '-m', 'sonnet'], { env });
    expect(failed).toMatchObject({ code: 5, stdout: '' });
    server.script(say(words('I look.'), call('c1', 'bash', { command: 'echo a' })));
    const limited = await run(['spawn', '-t', 'x', '-m', 'sonnet', '--max-turns', '1'], { env });
    const [, tree = ''] = TREE.exec(limited.stderr) ?? [];
    expect(limited.code).toBe(7);
    expect(limited.stderr).toContain(`Go on with: cognition ask ${tree} --continue`);
    server.script(say(words('There.')));
    expect(await run(['ask', tree, '--continue'], { env })).toMatchObject({ code: 0, stdout: 'There.\n' });
    expect(await run(['spawn', '-t', 'x', '-m', 'sonnet'])).toMatchObject({ code: 4, stdout: '' });
    server.script(breaking('hang', words('So far')));
    const program = startProgram(cli, ['spawn', '-t', 'x', '-m', 'sonnet'], env);
    await server.hanging();
    program.child.kill('SIGINT');
    const ended = await program.ended;
    expect(ended).toMatchObject({ code: 130, stdout: 'So far\n' });
  });
});

test.each([
  ['spawn', ['spawn', '-t', 'x']],
  ['ask --stream', ['ask', 'x', '--stream']],
])('%s writes into a pipe while the answer comes', async (_, words1) => {
  await withModel(async (cli, server, env) => {
    server.script(breaking('hang', words('So far')));
    const program = startProgram(cli, [...words1, '-m', 'sonnet'], env);
    await program.printed('So far');
    program.child.kill('SIGINT');
    expect(await program.ended).toMatchObject({ code: 130 });
  });
});

test('transcripts go to the folder that is named, those of sub-sessions beside that of their parent', async () => {
  await withCli(async ({ run, folder }) => {
    const task = 'demo: call spawn_session {"task": "demo: say deeper"}\ndemo: then\ndemo: say Done.';
    const ran = await run(['spawn', '-t', task, '-m', 'demo', '--transcript-dir', '.']);
    expect(ran).toMatchObject({ code: 0, stdout: 'Done.\n' });
    const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
    const kinds = files.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')).metadata.is_sub_session);
    expect(kinds.toSorted()).toEqual([false, true]);
  });
});
