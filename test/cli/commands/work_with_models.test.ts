import { expect, test } from 'vitest';
import { agentBin, pathWith } from '../../support/agents/agent_bin.js';
import { type TestCli, withCli } from '../../support/cli.js';

function withAgentCli<T>(use: (cli: TestCli & { env: Record<string, string> }) => Promise<T>): Promise<T> {
  const env = { PATH: pathWith(agentBin('claude', 'codex')), ANTHROPIC_API_KEY: 'sk-test' };
  return withCli((cli) => use({ ...cli, env, run: (words, more = {}) => cli.run(words, { ...more, env }) }));
}

test('a model’s name has the agent work that carries it, which is told the model', () =>
  withAgentCli(async ({ run }) => {
    const done = await run(['work', 'sonnet', "[[tool:tr '\\0' ' ' < /proc/$PPID/cmdline]]"]);
    expect(done.stdout).toContain('--model claude-sonnet-5');
    await run(['work', 'claude', '@', 'say one']);
    expect((await run(['work', 'gpt-5.2', '@', 'say two'])).stdout).toContain('say one');
    const spawned = await run(['spawn', '--agent', 'claude-opus-4-5-20251101', '-t', 'a task', '--no-stream']);
    expect(spawned.stdout).toBe('heard: a task\n');
    const provider = await run(['spawn', '--provider', 'codex', '-t', 'a task', '--role', 'reviewer', '--no-stream']);
    expect(provider.stdout).toBe('heard: a task\n');
  }));

test('an unknown model, one without an agent, and a deprecated one are refused in words of their own, and nothing is added', () =>
  withAgentCli(async ({ run }) => {
    const refused = async (name: string): Promise<string> => {
      const { code, stderr } = await run(['work', name, 'hello']);
      expect(code).toBeGreaterThan(0);
      return stderr.replace(/\s+/g, ' ');
    };
    expect(await refused('sonet')).toMatch(/no agent and no model "sonet".*did you mean sonnet\?.*cognition agents/);
    expect(await refused('o3-deep-research')).toMatch(/no agent carries the model o3-deep-research.*cognition ask/);
    expect(await refused('claude-3-opus')).toMatch(/claude-3-opus is deprecated.*take claude-opus-5-5/);
    expect(await refused('gemini-3-pro-preview')).toMatch(
      /gemini is not installed.*npm install -g @google\/gemini-cli/,
    );
    expect((await run(['list'])).stdout).not.toContain('hello');
    expect((await run(['spawn', '--role', 'reviewer', '-t', 'x', '-m', 'demo'])).stderr).toContain(
      '--role is for an outside agent',
    );
  }));

test('a line of the person’s own lets an agent carry another model, and one with an agent that there is not is told', () =>
  withAgentCli(async ({ run }) => {
    await run(['config', 'set', 'agents.models', 'house=claude:claude-sonnet-5, other=nobody']);
    expect((await run(['work', 'house', 'hello'])).stdout).toBe('heard: hello\n');
    const { stdout, stderr } = await run(['agents']);
    expect(stdout).toContain('claude');
    expect(stderr.replace(/\s+/g, ' ')).toContain(
      'agents.models lets nobody carry other, and there is no agent nobody',
    );
  }));
