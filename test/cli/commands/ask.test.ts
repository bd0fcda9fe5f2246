import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { call, words } from '../../hub/agent/turn/turn_calls.js';
import { PROGRAM, type TestCli, withCli } from '../../support/cli.js';
import { connectTo } from '../../support/hub.js';
import { breaking, fail, say } from '../../support/model/script.js';
import { KEY, type ModelServer, withModelServer } from '../../support/model_server.js';
import { inShell } from '../shell.js';

const Outcome = z.object({ state: z.string(), why: z.string(), tip: z.string(), text: z.string(), tree: z.string() });
const Kinds = z.object({ kind: z.string() });

/** The program with the keys of a loopback server in its environment. */
function withModel(use: (cli: TestCli, server: ModelServer, env: Record<string, string>) => Promise<void>) {
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

test('the demo model lists files without a key: the answer on stdout, what it does on stderr', async () => {
  await withCli(async ({ folder, run, print }) => {
    writeFileSync(join(folder, 'main.py'), 'print()\n');
    const { code, stdout, stderr } = await run(['ask', 'list the python files', '--model', 'demo']);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^Tree: [0-9a-f-]{36}\nTranscript: .*\n\[bash\] ls \*\.py\n$/),
    });
    expect(stdout).toContain('I found 1 Python file:\n\n- main.py\n');
    const more = await run(['ask', '@', 'show me main.py']);
    expect(more).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Transcript: .*\n\[bash\] cat main\.py\n$/) });
    expect(more.stdout).toContain('print()');
    expect(await print('show')).toContain('[bash:cat main.py]');
    // Another branch of the tree begins with what the tree began with.
    expect(await run(['ask', '@', 'hello', '--at', 'root'])).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^This is a new branch\.\nTranscript: .*\n$/),
    });
  });
});

test('remarks before calls go to stderr when stdout is no terminal, and piped input joins the message', async () => {
  await withModel(async ({ run }, server, env) => {
    server.script(say(words('I look.'), call('c1', 'bash', { command: 'echo a; exit 3' })), say(words('Done.')));
    const ran = await run(['ask', 'what is this?'], { env, input: 'piped text\n' });
    expect(ran.stdout).toBe('Done.\n');
    expect(ran.stderr).toMatch(/^Tree: .*\nTranscript: .*\nI look\.\n\[bash\] echo a; exit 3\n {2}\(exit code 3\)\n$/);
    expect(JSON.stringify(server.requests[0]?.body.messages)).toContain('what is this?\\n\\npiped text');
    const dash = await run(['ask', '@', '-'], { env, input: 'only this' });
    expect(dash.code).toBe(0);
    expect(JSON.stringify(server.requests.at(-1)?.body.messages)).toContain('only this');
  });
});

test('without a key there is one helpful line, exit code 4, and no tree is left behind', async () => {
  await withCli(async ({ run, json }) => {
    const nothing = await run(['ask', 'hello']);
    expect(nothing).toMatchObject({ code: 4, stdout: '' });
    expect(nothing.stderr).toMatch(/^cognition: no model is chosen.*\nhint: .*ANTHROPIC_API_KEY.*\n$/);
    const named = await run(['ask', 'hello', '--model', 'opus']);
    expect(named).toMatchObject({ code: 4, stdout: '' });
    expect(named.stderr).toContain('there is no key for anthropic');
    expect(await json('list')).toEqual([]);
    expect(await run(['ask', 'hello', '--model', 'nobody/nothing'])).toMatchObject({ code: 2 });
    expect(await run(['ask', 'hello', '--level', 'admin'])).toMatchObject({ code: 2 });
    expect(await run(['ask'])).toMatchObject({ code: 2 });
  });
});

test('a failing server ends with exit code 5 and a hint, and one can go on from there', async () => {
  await withModel(async ({ run }, server, env) => {
    server.script(fail(401, 'invalid x-api-key', { type: 'authentication_error' }));
    const ran = await run(['ask', 'hello'], { env });
    expect(ran).toMatchObject({ code: 5, stdout: '' });
    expect(ran.stderr).toMatch(/\ncognition: .*\nhint: .*\n$/);
    server.script(say(words('Hello.')));
    expect(await run(['ask', '--continue'], { env })).toMatchObject({ code: 0, stdout: 'Hello.\n' });
    const again = await run(['ask', '--continue'], { env });
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('there is nothing to finish');
  });
});

test('a limit ends with exit code 7, and what is left is finished by --continue', async () => {
  await withModel(async ({ run }, server, env) => {
    server.script(say(words('First.'), call('c1', 'bash', { command: 'true' })), say(words('All done.')));
    const ran = await run(['ask', 'work', '--max-turns', '1', '--tool-level', 'minimal'], { env });
    expect(ran.code).toBe(7);
    expect(ran.stderr).toContain('as many answers as it may. Go on with: cognition ask --continue');
    expect(await run(['ask', '--continue'], { env })).toMatchObject({ code: 0, stdout: 'All done.\n' });
    expect(await run(['ask', 'work', '--max-cost', 'free'], { env })).toMatchObject({ code: 2 });
    expect(await run(['ask', 'work', '--max-turns', '0'], { env })).toMatchObject({ code: 2 });
  });
});

test('the outcome or every event is printed as JSON', async () => {
  await withModel(async ({ run }, server, env) => {
    server.script(say(words('Hello.')));
    const ran = await run(['ask', 'hello', '--json'], { env });
    const outcome = Outcome.parse(JSON.parse(ran.stdout));
    expect(outcome).toMatchObject({ state: 'done', why: 'answered', text: 'Hello.' });
    server.script(say(words('Again.')));
    const lines = (await run(['ask', '@', 'again', '--jsonl'], { env })).stdout.trim().split('\n');
    const kinds = lines.map((line) => Kinds.parse(JSON.parse(line)).kind);
    expect(kinds[0]).toBe('turn_started');
    expect(kinds.at(-1)).toBe('turn_ended');
    server.script(say(words('Elsewhere.')));
    const beside = await run(['ask', '@', 'another way', '--at', 'root'], { env });
    expect(beside).toMatchObject({ code: 0, stdout: 'Elsewhere.\n' });
    expect(beside.stderr).toMatch(/^This is a new branch\.\nTranscript: .*\n$/);
  });
});

test('a sandboxed command has no network and leaves the home alone; without one it says so', async () => {
  await withCli(async ({ run, folder }) => {
    const outside = join(folder, '..', 'outside.txt');
    const question = `demo: run echo x > ${outside}`;
    await run(['ask', question, '--model', 'demo', '--net']);
    expect(() => readFileSync(outside)).toThrow();
    const open = await run(['ask', question, '--model', 'demo', '--no-sandbox']);
    expect(open.stderr).toContain('UNSANDBOXED');
    expect(readFileSync(outside, 'utf8')).toBe('x\n');
  });
});

test.each([
  ['(env; cat /proc/*/environ)', []],
  // What other processes of the person hold is what --no-sandbox says that it does not keep back.
  ['env', ['--no-sandbox']],
])('%s of a model shows no key of the person, with the options %j', async (command, flags) => {
  await withCli(async ({ run }) => {
    const env = { ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: KEY, LC_TIME: 'C' };
    const counting = `${command} 2>/dev/null | tr '\\0' '\\n' > all; grep -c 0123456789abcdef all; grep -m 1 -c LC_TIME all`;
    const { stdout, code } = await run(['ask', `demo: run ${counting}`, '--model', 'demo', ...flags], { env });
    expect(code).toBe(0);
    expect(stdout).toContain('\n0\n1\n');
  });
});

const isScriptHere = spawnSync('script', ['--version']).status === 0;
const isBubblewrapHere = spawnSync('bwrap', ['--dev-bind', '/', '/', 'true']).status === 0;

test.runIf(isScriptHere)('on a terminal words are shown while they come, without control sequences', async () => {
  await withModel(async (cli, server, env) => {
    const evil = '\x1b]0;evil\x07 \x1b[31mred\x1b[0m';
    server.script(
      say(words(`I look.${evil}`), call('c1', 'bash', { command: 'true' })),
      breaking('hang', words('Half')),
    );
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const line = `env ${variables.join(' ')} cognition ask hello`;
    const shown = inShell(cli, `script -qec '${line}' /dev/null < /dev/null`);
    await server.hanging();
    const client = await connectTo(cli.home);
    const [turn] = (await client.call('agent.status', {})).turns;
    if (turn === undefined) throw new Error('no turn runs');
    await client.call('agent.stop', { turn: turn.turn });
    await client.close();
    const { stdout } = await shown;
    expect(stdout).toMatch(/^Tree: .*\r\nTranscript: .*\r\nI look\. red\r\n\[bash\] true\r\n(Half\r\n)?Interrupted\. /);
  });
});

test.runIf(isBubblewrapHere)('where nothing can keep a command in, the turn ends with exit code 8', async () => {
  await withCli(async (cli) => {
    const without =
      'bwrap --dev-bind / / --ro-bind /dev/null /usr/bin/bwrap --ro-bind /dev/null /usr/bin/unshare --ro-bind /dev/null /usr/bin/perl';
    const program = `${without} "${process.execPath}" "${PROGRAM}"`;
    const ran = await inShell(cli, `${program} ask "demo: run touch ran" --model demo`);
    expect(ran).toMatchObject({ code: 8, stdout: '' });
    expect(ran.stderr).toMatch(/No sandbox works here.*touch ran.*cognition answer --option <number>\n$/s);
    expect(existsSync(join(cli.folder, 'ran'))).toBe(false);
  });
});
