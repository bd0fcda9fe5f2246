import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { agentBin, pathWith } from '../../support/agents/agent_bin.js';
import { type TestCli, withCli } from '../../support/cli.js';

interface AgentCli extends TestCli {
  does(...words: string[]): Promise<{ stdout: string; stderr: string; code: number | null }>;
}

function withAsking<T>(use: (cli: AgentCli) => Promise<T>): Promise<T> {
  return withCli((cli) => {
    const env = { PATH: pathWith(agentBin('claude', 'codex')), ANTHROPIC_API_KEY: 'sk-test' };
    return use({ ...cli, does: (...words) => cli.run(words, { env }) });
  });
}

const CHANGE = '[[tool:echo made | tee made.txt]]';

test('an agent waits at level ask with what it wants to do, and goes on in the same process when it is allowed later', async () => {
  for (const agent of ['claude', 'codex']) await withAsking((cli) => allowLater(cli, agent));
});

async function allowLater({ does, folder }: AgentCli, agent: string): Promise<void> {
  const first = await does('work', agent, CHANGE, '--level', 'ask');
  expect(first).toMatchObject({ code: 8, stdout: '' });
  expect(first.stderr).toMatch(new RegExp(`May ${agent} do this: \\w+\\?\\s+.*\\$ echo made \\| tee made.txt`, 's'));
  for (const option of ['1  allow', '2  allow exactly this', '3  deny', '4  allow everything']) {
    expect(first.stderr).toContain(option);
  }
  expect(existsSync(join(folder, 'made.txt'))).toBe(false);
  const done = await does('answer', 'allow');
  expect(done).toMatchObject({ code: 0, stdout: 'tool said: made\n' });
  expect(existsSync(join(folder, 'made.txt'))).toBe(true);
  const shown = (await does('show', '@', '--color', 'never')).stdout;
  expect(shown).toMatch(/User: .*\n.*\[(claude|codex):.*\n.*Assistant: tool said: made/);
  expect(shown.match(/Assistant/g)).toHaveLength(1);
}

test('what is refused is not done, and the agent is told why', () =>
  withAsking(async ({ does, folder }) => {
    await does('work', 'claude', CHANGE, '--level', 'ask');
    const done = await does('answer', 'not before noon');
    expect(done).toMatchObject({ code: 0, stdout: 'tool said: the person did not allow it: not before noon\n' });
    expect(existsSync(join(folder, 'made.txt'))).toBe(false);
  }));

test('an agent that waits is ended by a stop, by the end of the hub, and what it did is kept', () =>
  withAsking(async ({ does, folder }) => {
    await does('work', 'claude', CHANGE, '--level', 'ask');
    expect((await does('answer', '--stop')).code).toBe(0);
    expect((await does('answer', 'allow')).stderr).toContain('no question is open');
    await does('work', 'claude', '@', CHANGE, '--level', 'ask');
    expect((await does('hub', 'stop')).code).toBe(0);
    expect((await does('answer', 'allow')).stderr).toContain('no question is open');
    expect(existsSync(join(folder, 'made.txt'))).toBe(false);
    const { stdout } = await does('show', '@', '--color', 'never');
    expect(stdout.match(/\[claude:/g)).toHaveLength(2);
    expect((await does('fsck')).code).toBe(0);
    const next = await does('work', 'claude', '@', 'and now?', '--level', 'minimal');
    expect(next.code).toBe(0);
    expect(next.stdout).toContain('and now?');
  }));

test('when the hub is killed while an agent waits nothing of it is left, and the conversation says so', () =>
  withAsking(async ({ does, folder }) => {
    await does('work', 'claude', CHANGE, '--level', 'ask');
    const { pid } = JSON.parse((await does('hub', 'status', '--json')).stdout);
    process.kill(pid, 'SIGKILL');
    const late = await does('answer', 'allow');
    expect(late.stderr).toContain('no question is open');
    expect(existsSync(join(folder, 'made.txt'))).toBe(false);
    const next = await does('work', 'claude', '@', 'and now?', '--level', 'minimal');
    expect(next).toMatchObject({ code: 0 });
  }));

test('an agent that cannot ask says so before anything is added', () =>
  withCli(async ({ run }) => {
    const bin = agentBin();
    writeFileSync(join(bin, 'pi'), '#!/bin/sh\necho 0.73.1\n', { mode: 0o755 });
    const env = { PATH: pathWith(bin) };
    const { code, stderr } = await run(['work', 'pi', 'hello', '--level', 'ask'], { env });
    expect(code).not.toBe(0);
    expect(stderr).toContain('pi cannot ask before it acts');
    expect((await run(['list'])).stdout).not.toContain('hello');
  }));
