import { call } from '../../../hub/agent/turn/turn_calls.js';
import { type Ran, type TestCli, withCli } from '../../../support/cli.js';
import { say } from '../../../support/model/script.js';
import { KEY, type ModelServer, withModelServer } from '../../../support/model_server.js';

export interface Talk {
  cli: TestCli;
  server: ModelServer;
  /** What the environment says of the server. */
  env: Record<string, string>;
  /** Says these lines, one after the other. */
  chat(lines: readonly string[], ...options: string[]): Promise<Ran>;
  /** The same without a model: messages are notes. */
  notes(lines: readonly string[], ...options: string[]): Promise<Ran>;
}

/** The program with a loopback model server in its environment. */
export function withTalk<T>(use: (talk: Talk) => Promise<T>): Promise<T> {
  return withModelServer((server) =>
    withCli((cli) => {
      const env = {
        ...{ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.origin },
        COGNITION_MODEL: 'anthropic/claude-sonnet-5',
      };
      const input = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
      return use({
        ...{ cli, server, env },
        chat: (lines, ...options) => cli.run(['chat', ...options], { env, input: input(lines) }),
        notes: (lines, ...options) => cli.run(['chat', ...options], { input: input(lines) }),
      });
    }),
  );
}

/** An answer that runs one command. */
export const bash = (id: string, command: string) => say(call(id, 'bash', { command }));

/** The id of the tree that a chat began. */
export function treeIn(stdout: string): string {
  const id = /^Tree: ([0-9a-f-]{36})$/m.exec(stdout)?.[1];
  if (id === undefined) throw new Error(`no tree is told in: ${stdout}`);
  return id;
}

/** What was printed after the echo of a line, up to the next one. */
export function after(stdout: string, line: string): string {
  const start = stdout.indexOf(`> ${line}\n`);
  if (start < 0) throw new Error(`${line} was not shown in: ${stdout}`);
  const rest = stdout.slice(start + line.length + 3);
  const end = rest.search(/^(> |Session saved)/m);
  return (end < 0 ? rest : rest.slice(0, end)).trim();
}
