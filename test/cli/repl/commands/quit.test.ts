import { expect, test } from 'vitest';
import { words } from '../../../hub/agent/turn/turn_calls.js';
import { PROGRAM } from '../../../support/cli.js';
import { withHome } from '../../../support/hub.js';
import { breaking, say } from '../../../support/model/script.js';
import { KEY, type ModelServer, withModelServer } from '../../../support/model_server.js';
import { KEYS, type TestTerminal, withTerminal } from '../../../support/terminal.js';

const NORMAL = { alternate: false, pasteBracketed: false, mouse: false, synchronized: false };

/** A chat below a shell, which tells afterwards how it ended and what it made of the terminal. */
function shelled<T>(use: (terminal: TestTerminal, server: ModelServer) => Promise<T>): Promise<T> {
  return withModelServer((server) =>
    withHome((home) => {
      const env = {
        ...{ COGNITION_HOME: home, HOME: '/nonexistent', ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.origin },
        ...{ COGNITION_MODEL: 'anthropic/claude-sonnet-5', EDITOR: 'false' },
      };
      const started = `echo "process $$"; exec "${process.execPath}" "${PROGRAM}" chat`;
      const command = `sh -c '${started}'; echo "ended $?" $(stty -a | grep -oE -- '-?(icanon|echo|isig)\\b'); read`;
      return withTerminal({ command: 'bash', args: ['-c', command], cwd: '/tmp', env }, async (terminal) => {
        await terminal.waitFor('Commands: /help');
        return use(terminal, server);
      });
    }),
  );
}

function pidOn(terminal: TestTerminal): number {
  return Number(/process (\d+)/.exec(terminal.transcript().join('\n'))?.[1]);
}

async function asBefore(terminal: TestTerminal, code: number): Promise<void> {
  await terminal.waitFor(`ended ${code} isig icanon echo`);
  expect({ ...terminal.modes(), visible: terminal.cursor().visible }).toEqual({ ...NORMAL, visible: true });
}

test.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
  ['SIGHUP', 129],
  ['SIGQUIT', 131],
] as const)('after %s in the middle of an answer the terminal is as it was', async (signal, code) => {
  await shelled(async (terminal, server) => {
    server.script(breaking('hang', words('Once upon a time')));
    terminal.type('tell me a story', KEYS.enter);
    await terminal.waitFor('Once upon a time');
    terminal.type('half a thought');
    await terminal.waitFor('> half a thought');
    process.kill(pidOn(terminal), signal);
    await asBefore(terminal, code);
  });
});

test('Ctrl-D and /quit leave the terminal as it was, also while a command prints without end', async () => {
  await shelled(async (terminal) => {
    terminal.type('!yes', KEYS.enter);
    await terminal.waitFor(/^y$/m);
    terminal.type(KEYS.control('d'));
    await asBefore(terminal, 0);
  });
  await shelled(async (terminal) => {
    terminal.type('/exit', KEYS.enter);
    await asBefore(terminal, 0);
    expect(terminal.transcript().join('\n')).toContain('Nothing was said, so nothing is kept.');
  });
});

test('an editor that fails leaves the message as it was, and the terminal is ours again', async () => {
  await shelled(async (terminal, server) => {
    server.script(say(words('Fine.')));
    terminal.type('a message');
    await terminal.waitFor('> a message');
    terminal.type(KEYS.control('g'));
    await terminal.waitFor('The editor ended with a failure');
    terminal.type(' and more', KEYS.enter);
    await terminal.waitFor('> a message and more');
    await terminal.waitFor('Fine.');
    terminal.type(KEYS.control('d'));
    await asBefore(terminal, 0);
  });
});
