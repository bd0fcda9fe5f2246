import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { agentBin, pathWith } from '../../support/agents/agent_bin.js';
import { type TestCli, withCli } from '../../support/cli.js';

interface OwnAgentCli extends TestCli {
  bin: string;
  /** Names agents in the folder of cognition. */
  write(content: unknown): void;
}

function withOwnAgents<T>(use: (cli: OwnAgentCli) => Promise<T>): Promise<T> {
  const bin = agentBin();
  const env = { PATH: pathWith(bin), HOUSE_KEY: 'sk-house', OTHER_KEY: 'sk-other' };
  return withCli((cli) =>
    use({
      ...cli,
      bin,
      run: (words, more = {}) => cli.run(words, { ...more, env }),
      write(content) {
        mkdirSync(cli.home, { recursive: true, mode: 0o700 });
        writeFileSync(join(cli.home, 'agents.json'), typeof content === 'string' ? content : JSON.stringify(content));
      },
    }),
  );
}

test('a program that speaks the protocol is an agent once the person has named it, with its words and variables', () =>
  withOwnAgents(async ({ run, write, bin, folder }) => {
    expect((await run(['work', 'house', 'hello'])).stderr).toContain('no agent and no model "house"');
    const house = {
      ...{ command: 'acp_agent.mjs', args: ['--mode', 'a b; $(touch x)'] },
      ...{ env: { HOUSE_MODE: "it's $HOME" }, variables: ['HOUSE_KEY'] },
    };
    write({
      agents: { house, 'by-path': { command: join(bin, 'acp_agent.mjs') }, gone: { command: 'no-such-program' } },
    });
    expect((await run(['work', 'house', 'one'])).stdout).toBe('own: one\n');
    expect((await run(['work', 'house', '@', 'two'])).stdout).toBe('own: one | two\n');
    expect((await run(['work', 'by-path', '@', 'three'])).stdout).toMatch(
      /^own: [\s\S]*own: one \| two[\s\S]*three\n$/,
    );
    const about = JSON.parse((await run(['work', 'house', '[[about]]'])).stdout);
    expect(about).toMatchObject({ words: house.args, cwd: folder });
    expect(about.env).toMatchObject({ HOUSE_MODE: "it's $HOME", HOUSE_KEY: 'sk-house', COGNITION_AGENT_ID: 'house' });
    expect(Object.keys(about.env)).not.toContain('OTHER_KEY');
    const { stdout } = await run(['agents']);
    expect(stdout).toMatch(/house\s.*7\.1\.2/);
    expect((await run(['work', 'gone', 'hello'])).stderr).toMatch(
      /gone is not installed[\s\S]*agents\.json names no-such-program/,
    );
    await run(['config', 'set', 'agents.models', 'house-large=house']);
    expect((await run(['work', 'house-large', 'three'])).stdout).toBe('own: three\n');
  }));

test('what is wrong in the file is told, counts for nothing, and takes no place of an agent that there is', () =>
  withOwnAgents(async ({ run, write }) => {
    const command = 'acp_agent.mjs';
    write({
      agents: {
        good: { command },
        claude: { command },
        ...{ '../../x': { command }, 'a\u001b[2Jb': { command }, [`a${'b'.repeat(4_096)}`]: { command } },
        ...{ relative: { command: '../x' }, option: { command: '--x' }, zero: { command: 'a\0b' }, none: {} },
        ...{ loader: { command, env: { 'A=B': 'x' } }, odd: { command, shell: true }, seven: 7 },
      },
    });
    const { stdout, stderr } = await run(['agents']);
    const words = stderr.replace(/\s+/g, ' ');
    expect(stdout).toContain('good');
    for (const name of ['relative', 'option', 'zero', 'none', 'loader', 'odd', 'seven']) {
      expect(stdout).not.toContain(name);
      expect(words).toContain(`agents.json: "${name}" is not understood`);
    }
    expect(words).toContain('agents.json: "claude" is an agent that there is already');
    expect(words).toContain('agents.json: "../../x" must be the name of an agent');
    expect(`${stdout}${stderr}`).not.toContain('\u001b');
    for (const broken of ['{ no json', '[]', '{"agents": 7}', '['.repeat(100_000)]) {
      write(broken);
      expect((await run(['agents'])).stderr.replace(/\s+/g, ' ')).toContain('agents.json is not understood');
    }
  }));

test('a file of the project names no agent', () =>
  withOwnAgents(async ({ run, folder }) => {
    mkdirSync(join(folder, '.cognition'));
    const content = JSON.stringify({ agents: { theirs: { command: 'acp_agent.mjs' } } });
    for (const name of ['agents.json', '.cognition/agents.json']) writeFileSync(join(folder, name), content);
    expect((await run(['agents'])).stdout).not.toContain('theirs');
    expect((await run(['work', 'theirs', 'hello'])).code).toBeGreaterThan(0);
  }));

test('what is changed in the file reaches the next message, although the process of the last one is kept', () =>
  withOwnAgents(async ({ run, write }) => {
    const named = (args: string[]): void => write({ agents: { house: { command: 'acp_agent.mjs', args } } });
    named(['--before']);
    await run(['work', 'house', 'hello']);
    named(['--after']);
    expect((await run(['work', 'house', '@', '[[about]]'])).stdout).toContain('--after');
  }));
