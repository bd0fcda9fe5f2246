import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { words } from '../../hub/agent/turn/turn_calls.js';
import { PROGRAM, type TestCli, userHomeBeside, withCli } from '../../support/cli.js';
import { connectTo } from '../../support/hub.js';
import { breaking, fail, say } from '../../support/model/script.js';
import { KEY, type ModelServer, withModelServer } from '../../support/model_server.js';

const Outcome = z.object({ state: z.string(), tip: z.string(), text: z.string() });
const Sent = z.object({ messages: z.array(z.unknown()), estimate: z.object({ tokens: z.number() }) });
const Marked = z.array(z.object({ id: z.string(), role: z.string(), sent: z.boolean() }));

const isScriptHere = spawnSync('script', ['--version']).status === 0;

/** The program on a conversation of one question, with the keys of a loopback server in its environment. */
function withTalk(use: (cli: TestCli, server: ModelServer, env: Record<string, string>) => Promise<void>) {
  return withModelServer((server) =>
    withCli(async (cli) => {
      const env = {
        ...{ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.origin },
        COGNITION_MODEL: 'anthropic/claude-sonnet-5',
      };
      server.script(say(words('Forty-two beans.')));
      expect((await cli.run(['ask', 'Count the beans.'], { env })).code).toBe(0);
      await use(cli, server, env);
    }),
  );
}

test('a conversation is summarised, one stands at the summary, and what was before is marked as not sent', async () => {
  await withTalk(async ({ run, print, json }, server, env) => {
    server.script(say(words('## Asked\nHow many beans.')));
    const ran = await run(['compact', '--instructions', 'Name the sort.'], { env });
    expect(ran).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^The conversation until here.*How many beans\.\n$/s),
    });
    expect(ran.stderr).toMatch(
      /^\(summarising what was said: about [\d,]+ tokens\)\n\(about [\d,]+ tokens are left\)\nYou stand at the summary, [0-9a-f]{8}\.\n$/,
    );
    expect(JSON.stringify(server.requests.at(-1)?.body.messages)).toContain('Name the sort.');
    const path = Marked.parse(await json('context'));
    expect(path.map(({ role, sent }) => [role, sent])).toEqual([
      ['root', false],
      ['user', false],
      ['assistant', false],
      ['summary', true],
    ]);
    expect(await print('show')).toContain('How many beans.');
    server.script(say(words('Yes.')));
    expect((await run(['ask', '@', 'And the peas?'], { env })).stdout).toBe('Yes.\n');
    const text = JSON.stringify(server.requests.at(-1)?.body.messages);
    expect(text).not.toContain('Count the beans.');
    expect(text).toContain('How many beans.');
  });
});

test('with --json the outcome is printed, and --at and --model choose what is summarised and by whom', async () => {
  await withTalk(async ({ run, json }, server, env) => {
    const before = Marked.parse(await json('context'));
    server.script(say(words('Peas as well.')), say(words('## Asked\nBeans.')));
    await run(['ask', '@', 'And the peas?'], { env });
    const answer = before.at(-1)?.id ?? '';
    const ran = await run(['compact', '@', '--at', answer, '--model', 'opus', '--json'], { env });
    expect(Outcome.parse(JSON.parse(ran.stdout))).toMatchObject({
      state: 'done',
      text: expect.stringContaining('Beans.'),
    });
    expect(ran.stderr).toBe('');
    expect(server.requests.at(-1)?.body.model).toMatch(/opus/);
    expect(JSON.stringify(server.requests.at(-1)?.body.messages)).not.toContain('peas');
    // The conversation goes on with the model that it had.
    server.script(say(words('Yes.')));
    await run(['ask', '@', 'go on'], { env });
    expect(server.requests.at(-1)?.body.model).toBe('claude-sonnet-5');
  });
});

test('a path that cannot be summarised gives one clear line, and the position stays', async () => {
  await withTalk(async ({ run, print, json }, server, env) => {
    const stood = Marked.parse(await json('context')).at(-1)?.id;
    server.script(fail(400, 'no such model', { type: 'invalid_request_error' }));
    const failed = await run(['compact'], { env });
    expect(failed.code).not.toBe(0);
    expect(failed.stderr).toContain('no such model');
    const keyless = await run(['compact']);
    expect([keyless.code, keyless.stderr.split('\n')[0]]).toEqual([4, 'cognition: there is no key for anthropic']);
    expect(Marked.parse(await json('context')).at(-1)?.id).toBe(stood);
    await print('new', 'empty');
    const empty = await run(['compact', '--model', 'demo']);
    expect(empty).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^cognition: nothing has been said here yet: there is nothing to summarise\n/),
    });
    expect((await run(['compact', 'nowhere'])).code).toBe(3);
  });
});

test('ask says which instructions it read, once, and reads them anew with --reload', async () => {
  await withCli(async ({ run, folder }) => {
    execFileSync('git', ['init', '-q', folder]);
    writeFileSync(join(folder, 'AGENTS.md'), 'Be brief.\n');
    const first = await run(['ask', 'hello', '--model', 'demo']);
    expect(first.stderr).toMatch(/\nRead: AGENTS\.md\n/);
    expect((await run(['ask', '@', 'hello'])).stderr).not.toContain('Read:');
    expect((await run(['ask', '@', 'hello', '--reload'])).stderr).toContain('Read: AGENTS.md\n');
  });
});

test('the window and whether to summarise by itself are preferences', async () => {
  await withTalk(async ({ run, print }, server, env) => {
    await print('config', 'set', 'window', '9000');
    await print('config', 'set', 'compact', 'off');
    const input = 'Read this. '.repeat(3_000);
    server.script(say(words('Read.')), say(words('Again.')));
    await run(['ask', '@', '-'], { env, input });
    expect((await run(['ask', '@', 'Now paint it red.'], { env })).stderr).not.toContain('summarising');
    await print('config', 'set', 'compact', 'auto');
    server.script(say(words('## Asked\nTo read.')), say(words('Yes.')));
    const ran = await run(['ask', '@', 'Now paint it blue.'], { env });
    expect(ran.stdout).toBe('Yes.\n');
    expect(ran.stderr).toContain('(summarising what was said: about ');
    expect(JSON.stringify(server.requests.at(-1)?.body.messages)).toContain('Now paint it blue.');
  });
});

test('the size of a request is shown with its share of the window', async () => {
  await withTalk(async ({ run, print }) => {
    await print('config', 'set', 'window', '10000');
    const { stderr } = await run(['context', '--model']);
    expect(stderr).toMatch(
      /\nWith anthropic\/claude-sonnet-5: about [\d,]+ tokens(, \d+ % of the window)?; none of them cached/,
    );
    const { estimate } = Sent.parse(JSON.parse((await run(['context', '--model', '--json'])).stdout));
    expect(estimate.tokens).toBeGreaterThan(100);
  });
});

test.runIf(isScriptHere)('on a terminal the size of a large request is noted while it is on its way', async () => {
  await withTalk(async (cli, server, env) => {
    server.script(say(words('Read.')), breaking('hang'));
    await cli.run(['ask', '@', '-'], { env, input: 'Read this. '.repeat(9_000) });
    const line = `'${process.execPath}' '${PROGRAM}' ask @ go on`.replace(/go on$/, '"go on"');
    const child = spawn('script', ['-qec', line, '/dev/null'], {
      env: {
        PATH: process.env.PATH ?? '',
        HOME: userHomeBeside(cli.folder),
        LANG: 'C.UTF-8',
        COGNITION_HOME: cli.home,
        ...env,
      },
      ...{ cwd: cli.folder, stdio: ['ignore', 'pipe', 'inherit'] },
    });
    let printed = '';
    const noted = new Promise<void>((resolve) => {
      child.stdout.on('data', (piece) => {
        printed += String(piece);
        if (printed.includes('tokens')) resolve();
      });
    });
    const ended = once(child, 'close');
    await Promise.race([noted, ended]);
    expect(printed).toMatch(/about 2\d,\d{3} tokens; 2\d,\d{3} of them cached until \d\d:\d\d/);
    const client = await connectTo(cli.home, { start: false });
    const { turns } = await client.call('agent.status', {});
    for (const { turn } of turns) await client.call('agent.stop', { turn });
    await client.close();
    await ended;
  });
});
