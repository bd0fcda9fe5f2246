import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { words } from '../../../hub/agent/turn/turn_calls.js';
import { PROGRAM, userHomeBeside } from '../../../support/cli.js';
import { withHome } from '../../../support/hub.js';
import { breaking } from '../../../support/model/script.js';
import { KEY, type ModelServer, withModelServer } from '../../../support/model_server.js';
import { KEYS, type TestTerminal, withTerminal } from '../../../support/terminal.js';

const NORMAL = { alternate: false, pasteBracketed: false, mouse: false, synchronized: false };
/** The status tells of a place that is not the root: what was done is a node. */
const OTHER_PLACE = / ([0-9a-f]{8}) at (?!\1)/;
const PROMPT = /^\$$/m;

interface Shelled {
  terminal: TestTerminal;
  server: ModelServer;
  /** Of the chat. */
  pid: number;
}

/** A chat in an interactive shell, as a person starts it; its editor waits for a line. */
function inShell<T>(use: (shelled: Shelled) => Promise<T>): Promise<T> {
  return withModelServer((server) =>
    withHome((home) => {
      const folder = dirname(home);
      const editor = join(folder, 'editor.sh');
      const typing = join(folder, 'typing.sh');
      writeFileSync(editor, `sh ${typing}; :`);
      writeFileSync(typing, 'trap "echo told to end; exit" TERM; printf "editing "; read x; echo "over with <$x>"\n');
      const env = {
        ...{
          COGNITION_HOME: home,
          HOME: userHomeBeside(folder),
          ANTHROPIC_API_KEY: KEY,
          ANTHROPIC_BASE_URL: server.origin,
        },
        ...{ COGNITION_MODEL: 'anthropic/claude-sonnet-5', EDITOR: `sh ${editor}`, PS1: '$ ', TERM_PROGRAM: 'vscode' },
      };
      const shell = { command: 'bash', args: ['--norc', '--noprofile', '-i'], cwd: folder, env };
      return withTerminal({ ...shell, reflowsCursorLine: false }, async (terminal) => {
        await terminal.waitFor(PROMPT);
        // What bash itself asks the terminal for is not to be taken for ours.
        terminal.type("bind 'set enable-bracketed-paste off'\r");
        terminal.type(`sh -c 'echo "process $$"; exec "${process.execPath}" "${PROGRAM}" chat'\r`);
        await terminal.waitFor('Commands: /help');
        const pid = Number(/process (\d+)/.exec(terminal.transcript().join('\n'))?.[1]);
        return use({ terminal, server, pid });
      });
    }),
  );
}

const STATES: Record<string, (shelled: Shelled) => Promise<unknown>> = {
  async writing({ terminal }) {
    terminal.type('half a thought');
    await terminal.waitFor('> half a thought');
  },
  async 'reading in NORMAL'({ terminal }) {
    terminal.type('!echo one', KEYS.enter);
    await terminal.waitFor(OTHER_PLACE);
    terminal.type(KEYS.escape);
    await terminal.waitFor('[ NORMAL ]');
  },
  async 'walking in the navigator'({ terminal }) {
    terminal.type('!echo one', KEYS.enter);
    await terminal.waitFor(OTHER_PLACE);
    terminal.type(KEYS.escape);
    await terminal.waitFor('[ NORMAL ]');
    terminal.type(KEYS.escape);
    await terminal.waitFor((screen) => !screen.join('\n').includes('[ NORMAL ]') && terminal.modes().alternate);
  },
  async 'waiting for an answer'({ terminal, server }) {
    server.script(breaking('hang', words('Once upon a time')));
    terminal.type('tell me a story', KEYS.enter);
    await terminal.waitFor('Once upon a time');
  },
};

/** The shell's prompt stands alone in its row, and the terminal is as the shell left it. */
async function asBefore({ terminal }: Shelled): Promise<void> {
  const shown = await terminal.waitFor((screen) => screen.at(-1) === '$');
  expect(shown.at(-1)).toBe('$');
  expect({ ...terminal.modes(), ...terminal.cursor() }).toMatchObject({ ...NORMAL, visible: true, column: 2 });
  terminal.type("echo is $(stty -a | grep -oE -- '-?(icanon|echo|isig|icrnl|opost)\\b')\r");
  await terminal.waitFor('is icrnl opost isig icanon echo');
}

const STATE_NAMES = Object.keys(STATES);
const ENDINGS = STATE_NAMES.flatMap((name) => [
  ['SIGTERM' as const, name],
  ['SIGHUP' as const, name],
]);

test.each(STATE_NAMES)('Ctrl-Z while %s gives the terminal to the shell, and fg takes it again', async (name) => {
  await inShell(async (shelled) => {
    const { terminal } = shelled;
    await STATES[name]?.(shelled);
    const { alternate } = terminal.modes();
    terminal.type(KEYS.control('z'));
    await terminal.waitFor('Stopped');
    await asBefore(shelled);
    terminal.resize(60, 20);
    terminal.type('clear; fg\r');
    await terminal.waitFor(() => terminal.modes().pasteBracketed && terminal.modes().alternate === alternate);
    await terminal.waitFor(/\[ (INSERT|NORMAL) \]|\? keys/);
    if (alternate) terminal.type('q');
    await terminal.waitFor('[ INSERT ]');
    terminal.type(KEYS.control('u'), KEYS.control('d'));
    await terminal.waitFor(/Resume with: cognition chat|Nothing was said/);
    await asBefore(shelled);
  });
});

test.each(STATE_NAMES)('SIGTSTP from outside while %s does the same', async (name) => {
  await inShell(async (shelled) => {
    const { terminal, pid } = shelled;
    await STATES[name]?.(shelled);
    const { alternate } = terminal.modes();
    process.kill(pid, 'SIGTSTP');
    await terminal.waitFor('Stopped');
    await asBefore(shelled);
    // In the background it is stopped as soon as it takes the terminal; who comes before that would stop it in front.
    terminal.type('bg; until jobs -s | grep -q .; do :; done; fg\r');
    await terminal.waitFor(() => terminal.modes().pasteBracketed && terminal.modes().alternate === alternate);
  });
});

test.each(ENDINGS)('after %s while %s the prompt of the shell stands in a row of its own', async (signal, name) => {
  await inShell(async (shelled) => {
    await STATES[name]?.(shelled);
    process.kill(shelled.pid, signal);
    await asBefore(shelled);
  });
});

test('after SIGTERM while $EDITOR is open the prompt of the shell stands in a row of its own as well', async () => {
  await inShell(async ({ terminal, pid }) => {
    terminal.type(KEYS.control('g'));
    await terminal.waitFor(/^editing/m);
    process.kill(pid, 'SIGTERM');
    await terminal.waitFor((screen) => screen.at(-1) === '$');
    expect({ ...terminal.modes(), ...terminal.cursor() }).toMatchObject({ ...NORMAL, visible: true });
  });
});

test('a signal that ends the chat ends all that the editor has started', async () => {
  await inShell(async ({ terminal, pid }) => {
    terminal.type(KEYS.control('g'));
    await terminal.waitFor(/^editing/m);
    process.kill(pid, 'SIGTERM');
    await terminal.waitFor('told to end');
    await terminal.waitFor((screen) => screen.at(-1) === '$');
  });
});

test('an editor is stopped with Ctrl-Z and goes on with fg, and what is typed then is its own', async () => {
  await inShell(async (shelled) => {
    const { terminal } = shelled;
    terminal.type('half a thought', KEYS.control('g'));
    await terminal.waitFor(/^editing/m);
    terminal.type(KEYS.control('z'));
    await terminal.waitFor('Stopped');
    await asBefore(shelled);
    terminal.type('fg\r');
    await terminal.waitFor(/^sh -c/m);
    terminal.type('words\r');
    await terminal.waitFor('over with <words>');
    await terminal.waitFor('[ INSERT ]');
    terminal.type(' and more');
    await terminal.waitFor(/^> half a thought and more$/m);
    expect(terminal.transcript().filter((line) => line.includes('[ INSERT ]'))).toHaveLength(1);
  });
});
