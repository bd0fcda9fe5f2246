import { PROGRAM, userHomeBeside } from '../../../support/cli.js';
import { KEY, type ModelServer, withModelServer } from '../../../support/model_server.js';
import { type TestTerminal, withChat, withTerminal } from '../../../support/terminal.js';

export interface ScreenTalk {
  terminal: TestTerminal;
  server: ModelServer;
  home: string;
  folder: string;
  /** One more terminal in the same home. */
  another<T>(args: readonly string[], use: (terminal: TestTerminal) => Promise<T>): Promise<T>;
}

/** A chat on a terminal, with a loopback model server in its environment. */
export function withTalkOnScreen<T>(
  args: readonly string[],
  use: (talk: ScreenTalk) => Promise<T>,
  surroundings: Record<string, string> = {},
): Promise<T> {
  return withModelServer((server) => {
    const env = {
      ...{ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.origin },
      COGNITION_MODEL: 'anthropic/claude-sonnet-5',
      ...surroundings,
    };
    return withChat({ args, env }, (terminal, { home, folder }) =>
      use({
        ...{ terminal, server, home, folder },
        another: (words, work) =>
          withTerminal(
            {
              command: process.execPath,
              args: [PROGRAM, 'chat', ...words],
              cwd: folder,
              env: { COGNITION_HOME: home, HOME: userHomeBeside(folder), ...env },
            },
            work,
          ),
      }),
    );
  });
}

/** The id of the tree that stands on the screen. */
export function treeOn(terminal: TestTerminal): string {
  const id = /Tree: ([0-9a-f-]{36})/.exec(terminal.transcript().join('\n'))?.[1];
  if (id === undefined) throw new Error('no tree is told');
  return id;
}

/** Resolves when no turn runs. */
export async function idle(terminal: TestTerminal): Promise<void> {
  await terminal.waitFor((screen) => !/Esc stops$|^stopping/m.test(screen.join('\n')));
}
