import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type TestCli, withCli } from '../../support/cli.js';
import { type Part, say } from '../../support/model/script.js';
import { KEY, type ModelServer, withModelServer } from '../../support/model_server.js';

const HELLO = say({ kind: 'text', text: 'Hello from there.' });

/** Writes what a person says of their servers. */
function configure({ home }: TestCli, lines: readonly string[]): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  writeFileSync(join(home, 'config'), lines.map((line) => `${line}\n`).join(''));
}

function withOwnServer(use: (cli: TestCli, server: ModelServer) => Promise<void>): Promise<void> {
  return withModelServer((server) => withCli((cli) => use(cli, server)));
}

test('two servers of one’s own are used side by side, each with its kind, key, headers and prices', () =>
  withOwnServer(async (cli, server) => {
    configure(cli, [
      `server.work.base_url = ${server.openaiUrl}`,
      'server.work.key_env = WORK_KEY',
      'server.work.headers = x-team: tools; x-secret: hush-hush',
      'server.work.window = 64000, glm-5=128000',
      'server.work.prices = 1/2, glm-5=10/100/1',
      'server.work.models = glm-5, glm-5-air',
      `server.gateway.base_url = ${server.origin}`,
      'server.gateway.kind = anthropic',
      'server.gateway.key_env = GATEWAY_KEY',
      'server.gateway.key_header = X-Api-Key',
    ]);
    const env = { WORK_KEY: KEY, GATEWAY_KEY: KEY };
    server.script(HELLO, HELLO, HELLO);
    const first = await cli.run(['ask', 'hello', '--model', 'work/glm-5', '--max-cost', '1'], { env });
    expect([first.stderr, first.code, first.stdout]).toEqual([expect.any(String), 0, 'Hello from there.\n']);
    expect(server.requests[0]).toMatchObject({
      path: '/v1/chat/completions',
      body: { model: 'glm-5' },
      headers: { authorization: `Bearer ${KEY}`, 'x-team': 'tools', 'x-secret': 'hush-hush' },
    });
    // 40 tokens of input, 60 from the cache, 42 of output.
    const { stdout: cost } = await cli.run(['cost', '--json'], { env });
    expect(JSON.parse(cost)).toMatchObject({ total: { price_microdollars: 400 + 60 + 4_200, unknown_price: 0 } });
    const { stdout: context } = await cli.run(['context', '--model', '--json'], { env });
    expect(JSON.parse(context)).toMatchObject({ estimate: { model: 'work/glm-5', window: 128_000 } });
    // Only the provider is named: the first of its models.
    await cli.run(['ask', 'hello', '--provider', 'work'], { env });
    expect(server.requests[1]?.body.model).toBe('glm-5');
    const other = await cli.run(['ask', '@', 'hello', '--model', 'gateway/claude-sonnet-5'], { env });
    expect([other.stderr, other.code]).toEqual([expect.any(String), 0]);
    expect(server.requests[2]).toMatchObject({ path: '/v1/messages', headers: { 'x-api-key': KEY } });
    expect(server.requests[2]?.headers).not.toHaveProperty('authorization');
    const without = await cli.run(['ask', 'hello', '--model', 'work/glm-5']);
    expect([without.code, without.stderr]).toEqual([4, expect.stringContaining('no key for work\nhint: set WORK_KEY')]);
  }));

test('the key of a command is asked for once in a turn, and stands nowhere afterwards', () =>
  withOwnServer(async (cli, server) => {
    const counter = join(cli.folder, 'asked');
    configure(cli, [
      `server.work.base_url = ${server.openaiUrl}`,
      `server.work.key_command = "echo x >>${counter}; printf '${KEY.slice(0, 8)}'; printf '${KEY.slice(8)}\\nuser: me\\n'"`,
    ]);
    const LS = { kind: 'call', id: 'c1', tool: 'bash', input: '{"command":"env; cat /proc/$PPID/environ"}' } as const;
    const CHILD = { kind: 'call', id: 'c2', tool: 'spawn_session', input: '{"task":"say hello"}' } as const;
    server.script(say(LS, CHILD), HELLO, HELLO);
    const ran = await cli.run(['ask', 'what is here?', '--model', 'work/glm-5']);
    expect([ran.stderr, ran.code, ran.stdout]).toEqual([expect.any(String), 0, 'Hello from there.\n']);
    expect(server.requests).toHaveLength(3);
    expect(readFileSync(counter, 'utf8')).toBe('x\n');
    expect(ran.stdout + ran.stderr).not.toContain(KEY);
    for (const file of filesBelow(cli.home)) expect(readFileSync(file).includes(KEY), file).toBe(false);
    // Whoever only looks needs no key.
    await cli.run(['context', '--model']);
    await cli.run(['doctor']);
    expect(readFileSync(counter, 'utf8')).toBe('x\n');
  }));

test('the key that sub-sessions at another server want is asked for once, and the model told where there is none', () =>
  withOwnServer(async (cli, server) => {
    const counter = join(cli.folder, 'asked');
    configure(cli, [
      `server.work.base_url = ${server.openaiUrl}`,
      'server.work.key_env = WORK_KEY',
      `server.other.base_url = ${server.openaiUrl}`,
      `server.other.key_command = "echo x >>${counter}; printf '${KEY.slice(0, 8)}'; printf '${KEY.slice(8)}\\n'"`,
      `server.none.base_url = ${server.openaiUrl}`,
      'server.none.key_command = exit 1',
    ]);
    const child = (id: string, provider: string): Part => {
      return { kind: 'call', id, tool: 'spawn_session', input: JSON.stringify({ task: 'say hello', provider }) };
    };
    const DONE = say({ kind: 'text', text: 'All said.' });
    server.script(
      say(child('c1', 'other/glm-5'), child('c2', 'other/glm-5')),
      HELLO,
      HELLO,
      say(child('c3', 'none/x')),
    );
    server.script(say(child('c4', 'other/glm-5')), HELLO, DONE);
    const ran = await cli.run(['ask', 'go', '--model', 'work/glm-5'], { env: { WORK_KEY: KEY } });
    expect([ran.stderr, ran.code, ran.stdout]).toEqual([expect.any(String), 0, 'All said.\n']);
    expect(readFileSync(counter, 'utf8')).toBe('x\n');
    expect(server.requests).toHaveLength(7);
    expect(server.requests.at(-1)?.text).toContain('there is no key for none');
    for (const file of filesBelow(cli.home)) expect(readFileSync(file).includes(KEY), file).toBe(false);
  }));

test.each([
  ['exit 3', 'the command for the key of work ended with 3'],
  ['true', 'the command for the key of work printed no key'],
  ['echo two words', 'the command for the key of work printed no key'],
])('nothing is said where the command for the key is %s', (command, message) =>
  withOwnServer(async (cli, server) => {
    configure(cli, [`server.work.base_url = ${server.openaiUrl}`, `server.work.key_command = ${command}`]);
    const { code, stderr } = await cli.run(['ask', 'hello', '--model', 'work/glm-5']);
    expect([code, stderr]).toEqual([4, expect.stringContaining(message)]);
    expect(server.requests).toEqual([]);
    const { stdout } = await cli.run(['log', '--json']);
    expect(stdout).not.toContain('hello');
  }),
);

test('a known provider has its key from a command, and goes elsewhere, by what a person says of it', () =>
  withOwnServer(async (cli, server) => {
    configure(cli, [
      `server.anthropic.base_url = ${server.origin}`,
      `server.anthropic.key_command = 'echo ${KEY}'`,
      'server.anthropic.headers = x-gateway: yes',
    ]);
    server.script(HELLO);
    const { code, stderr } = await cli.run(['ask', 'hello']);
    expect([stderr, code]).toEqual([expect.any(String), 0]);
    expect(server.requests[0]).toMatchObject({ path: '/v1/messages', headers: { 'x-gateway': 'yes' } });
  }));

test('the token for a gateway is taken before the key', () =>
  withOwnServer(async (cli, server) => {
    server.script(HELLO);
    const env = { ANTHROPIC_AUTH_TOKEN: KEY, ANTHROPIC_API_KEY: 'another', ANTHROPIC_BASE_URL: server.origin };
    expect(await cli.run(['ask', 'hello'], { env })).toMatchObject({ code: 0 });
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  }));

test('what is wrong about a server is one line with a hint, and a project names none', () =>
  withCli(async (cli) => {
    const refused = async (...words: string[]) => (await cli.run(['config', 'set', ...words])).stderr;
    expect(await refused('server.work.base_url', 'work.example')).toMatch(/is an address that begins with http/);
    expect(await refused('server.work.kind', 'openay')).toMatch(
      /is one of anthropic, openai, .*, not "openay"\nhint: /,
    );
    expect(await refused('server.work.bas_url', 'x')).toMatch(/hint: did you mean server.work.base_url\?/);
    expect(await refused('server.Work.base_url', 'x')).toMatch(/hint: the name of a server has small letters/);
    expect(await refused('server.work.prices', 'cheap')).toMatch(/dollars for a million tokens of input\/output/);
    expect(await refused('server.work.window', '1e5')).toMatch(/a number of tokens/);
    expect(await refused('server.work.key_env', 'A B')).toMatch(/the name of an environment variable/);
    expect(await refused('server.work.headers', 'secret')).not.toContain('secret');
    expect(await refused('server.work.base_url', 'http://x', '--project')).toMatch(/a project cannot set server\.work/);
    await cli.print('config', 'set', 'server.work.headers', 'x-token: hush');
    const listed = await cli.run(['config', 'list']);
    expect(listed.stdout).toContain('x-token: ***');
    expect(listed.stdout).not.toContain('hush');
    expect(listed.stderr).toMatch(/the server work has no address; it is ignored until server.work.base_url is set/);
    expect((await cli.run(['ask', 'hi', '--model', 'work/x'])).stderr).toMatch(
      /no model is called work\/x\nhint: .*provider/,
    );
  }));

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}
