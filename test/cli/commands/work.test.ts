import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { agentBin, pathWith } from '../../support/agents/agent_bin.js';
import { type TestCli, withCli } from '../../support/cli.js';

interface AgentCli extends TestCli {
  env: Record<string, string>;
  work(...words: string[]): Promise<{ stdout: string; stderr: string; code: number | null }>;
}

function withAgentCli<T>(use: (cli: AgentCli) => Promise<T>): Promise<T> {
  return withCli((cli) => {
    const env = { PATH: pathWith(agentBin('claude', 'codex')), ANTHROPIC_API_KEY: 'sk-test' };
    return use({ ...cli, env, work: (...words) => cli.run(['work', ...words], { env }) });
  });
}

test('an agent answers in a new conversation, another goes on there, and the tree shows who did what', () =>
  withAgentCli(async ({ work, run, env }) => {
    const first = await work('claude', 'say one');
    expect(first).toMatchObject({ code: 0, stdout: 'heard: say one\n' });
    expect(first.stderr).toMatch(/^Tree: [0-9a-f-]{36}$/m);
    const second = await work('codex', '@', 'say two');
    expect(second.code).toBe(0);
    for (const said of ['say one', 'say two']) expect(second.stdout).toContain(said);
    expect((await run(['show', '@', '--color', 'never'], { env })).stdout).toMatch(
      /User: say one\s+\[claude:say one\]\s+Assistant: heard: say one\s+User: say two\s+\[codex:say two\]\s+Assistant: heard: /,
    );
  }));

test('its calls are told while it works, and the answer alone goes to a pipe', () =>
  withAgentCli(async ({ work, folder }) => {
    const { stdout, stderr } = await work('claude', '[[tool:echo made | tee made.txt]]');
    expect(stdout).toBe('tool said: made\n');
    expect(stderr).toContain('[Bash] echo made | tee made.txt');
    expect(existsSync(join(folder, 'made.txt'))).toBe(true);
  }));

test('a branch at an earlier answer is a copy of the session, with --at', () =>
  withAgentCli(async ({ work, run, env }) => {
    await work('claude', 'one');
    const { stdout } = await run(['show', '@', '--json'], { env });
    const leaf = /"id":"([0-9a-f-]{36})"[^{}]*"role":"assistant"/.exec(stdout)?.[1] ?? '';
    await work('claude', '@', 'two');
    const other = await work('claude', '@', 'otherwise', '--at', leaf);
    expect(other.stdout).toBe('heard: one | <heard: one> | otherwise\n');
    expect(other.stderr).toContain('new branch');
  }));

test('a model of ours knows what an agent did, and an agent what the model said', () =>
  withAgentCli(async ({ work, run, env }) => {
    await work('claude', 'say one');
    const ours = await run(['ask', '@', 'demo: say I am the model.', '--model', 'demo'], { env });
    expect(ours.stdout).toContain('I am the model.');
    const { stdout } = await run(['context', '@', '--sent'], { env });
    if (stdout !== '') expect(stdout).toContain('say one');
    const last = await work('claude', '@', 'and now?');
    expect(last.stdout).toContain('I am the model.');
  }));

test('a role tells an agent what it is, the project’s own words come first, and an unknown one lists them', () =>
  withAgentCli(async ({ work, folder }) => {
    const unknown = await work('claude', 'hello', '--role', 'gardener');
    expect(unknown.code).not.toBe(0);
    expect(unknown.stderr).toMatch(/there is no role "gardener"[\s\S]*architect, engineer/);
    const told = await work('claude', '[[tool:env | grep COGNITION_AGENT_ROLE]]', '--role', 'reviewer');
    expect(told.stdout).toContain('COGNITION_AGENT_ROLE=reviewer');
    mkdirSync(join(folder, '.cognition', 'roles'), { recursive: true });
    writeFileSync(join(folder, '.cognition', 'roles', 'gardener.md'), 'You water.');
    expect((await work('claude', 'hello', '--role', 'gardener')).code).toBe(0);
    const own = await work('claude', 'hello', '--role', 'florist', '--describe', 'You bind.', '--minutes', '5');
    expect(own.code).toBe(0);
  }));

test('a role that is a link out of the project is not read', () =>
  withAgentCli(async ({ work, folder, home }) => {
    mkdirSync(join(folder, '.cognition', 'roles'), { recursive: true });
    symlinkSync(join(home, 'config'), join(folder, '.cognition', 'roles', 'gardener.md'));
    expect((await work('claude', 'hello', '--role', 'gardener')).stderr).toContain('there is no role');
  }));

test('with --level readonly an agent changes nothing, and with --model it is told which', () =>
  withAgentCli(async ({ work, folder }) => {
    const { stdout } = await work('claude', '[[tool:touch x.txt]]', '--level', 'readonly', '--model', 'sonnet');
    expect(stdout).toContain('Read-only file system');
    expect(existsSync(join(folder, 'x.txt'))).toBe(false);
    expect((await work('claude', 'hello', '--model', '--evil')).code).not.toBe(0);
  }));

test('agents tells which are installed, and how each is logged in; login runs the agent’s own in our home of it', () =>
  withAgentCli(async ({ run, env, home }) => {
    const { stdout } = await run(['agents'], { env });
    expect(stdout).toMatch(/^claude\s+2\.1\.326\s+key in the environment/m);
    expect(stdout).toMatch(/^codex\s+0\.169\.0\s+no login: set CODEX_API_KEY/m);
    const login = await run(['agents', 'login', 'claude'], { env });
    expect(login.stdout).toContain(`logging in at ${join(home, 'agents', 'claude', 'home')}`);
  }));

test('an agent that is not installed says how it is installed, and nothing is added', () =>
  withCli(async ({ run }) => {
    const { code, stderr } = await run(['work', 'claude', 'hello']);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/claude is not installed here[\s\S]*npm install -g @anthropic-ai\/claude-code/);
    expect((await run(['list'])).stdout).not.toContain('hello');
    expect((await run(['agents'])).stdout).toMatch(/^claude\s+not installed/m);
  }));

test('a refused login says what to do', () =>
  withAgentCli(async ({ work }) => {
    const { code, stderr } = await work('claude', '[[401]]');
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/401[\s\S]*set ANTHROPIC_API_KEY, or: cognition agents login claude/);
  }));

test('spawn gives a task to an agent, too', () =>
  withAgentCli(async ({ run, env }) => {
    const { stdout } = await run(['spawn', '-t', 'a task', '--agent', 'codex', '--no-stream'], { env });
    expect(stdout).toBe('heard: a task\n');
  }));

test('what an agent printed is in its logs, and no key is in any file of the home', () =>
  withAgentCli(async ({ work, home, run, env }) => {
    await work('claude', 'hello');
    await run(['hub', 'stop'], { env });
    const { spawnSync } = await import('node:child_process');
    const { stdout } = spawnSync('grep', ['-rl', 'sk-test', home], { encoding: 'utf8' });
    expect(stdout).toBe('');
    const logs = spawnSync('find', [join(home, 'projects'), '-name', 'stdout.log'], { encoding: 'utf8' }).stdout.trim();
    expect(readFileSync(logs, 'utf8')).toContain('heard: hello');
  }));

test('it works without a sandbox where that is said', () =>
  withAgentCli(async ({ work }) => {
    const { stdout, stderr } = await work('codex', 'hello', '--no-sandbox', '--here');
    expect(stdout).toBe('heard: hello\n');
    expect(stderr).toContain('UNSANDBOXED');
  }));

test('what an agent used is counted, with a price where a key pays by tokens, and an unknown one where a subscription does', () =>
  withAgentCli(async ({ work, run, env }) => {
    const total = async (variables: Record<string, string>) => {
      const { stdout } = await run(['cost', '@', '--json'], { env: variables });
      return JSON.parse(stdout).total;
    };
    await work('claude', 'say one');
    const known = await total(env);
    expect(known).toMatchObject({ requests: 1, tokens_in: 11, tokens_out: 7, unknown_price: 0 });
    expect(known.price_microdollars).toBeGreaterThan(0);
    const subscribed = { PATH: env.PATH ?? '', CLAUDE_CODE_OAUTH_TOKEN: 'token', ANTHROPIC_API_KEY: '' };
    await run(['work', 'claude', 'say two'], { env: subscribed });
    expect(await total(subscribed)).toMatchObject({ requests: 1, tokens_in: 11, unknown_price: 1 });
    expect((await run(['cost', '@'], { env: subscribed })).stdout).not.toMatch(/\$0(\.0+)?\b/);
  }));
