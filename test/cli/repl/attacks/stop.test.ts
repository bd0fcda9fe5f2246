import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { call, words } from '../../../hub/agent/turn/turn_calls.js';
import { breaking, say } from '../../../support/model/script.js';
import { KEYS } from '../../../support/terminal.js';
import { bash } from '../conversation/talk.js';
import { idle, withTalkOnScreen } from '../screen/screen_talk.js';

/** How many processes have these words in their command line. */
function running(needle: string): number {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return ids.filter((id) => commandLine(id).includes(needle)).length;
}

function commandLine(id: string): string {
  try {
    return readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return ''; // it has just ended
  }
}

/** So long that only this test sleeps it. */
const LONG = `sleep 8${process.pid}.25`;

test.runIf(process.platform === 'linux')(
  'Esc ends a command with all that it has started, and one goes on from there',
  async () => {
    await withTalkOnScreen([], async ({ terminal, server }) => {
      server.script(
        bash('c1', `trap '' TERM INT HUP; (${LONG} &) ; nohup ${LONG} & setsid ${LONG} & echo begun; ${LONG}`),
        say(words('I go on.')),
      );
      await terminal.waitFor('Commands: /help');
      terminal.type('go', KEYS.enter);
      await terminal.waitFor('begun');
      expect(running(LONG)).toBeGreaterThan(0);
      terminal.type(KEYS.escape);
      await terminal.waitFor('Interrupted. Go on with: /retry');
      await idle(terminal);
      expect(running(LONG)).toBe(0);
      terminal.type('and now?', KEYS.enter);
      await terminal.waitFor('I go on.');
    });
  },
);

test.runIf(process.platform === 'linux')('Esc ends what a sub-session runs as well', async () => {
  await withTalkOnScreen([], async ({ terminal, server }) => {
    server.script(
      say(call('c1', 'spawn_session', { task: 'look around' })),
      bash('s1', `${LONG}`),
      say(words('I go on.')),
    );
    await terminal.waitFor('Commands: /help');
    terminal.type('go', KEYS.enter);
    await terminal.waitFor(() => running(LONG) > 0);
    terminal.type(KEYS.escape);
    await terminal.waitFor('Interrupted. Go on with: /retry');
    await idle(terminal);
    expect(running(LONG)).toBe(0);
    terminal.type('and now?', KEYS.enter);
    await terminal.waitFor('I go on.');
  });
});

test.each([
  ['before the first byte', breaking('hang'), 'working'],
  ['while it thinks', breaking('hang', { kind: 'thinking', text: 'Let me think.' }), 'thinking…'],
  ['while it answers', breaking('hang', words('Once upon a time')), 'Once upon a time'],
] as const)('Esc ends a turn %s, and one goes on from there', async (_, script, seen) => {
  await withTalkOnScreen([], async ({ terminal, server }) => {
    server.script(script, say(words('I go on.')));
    await terminal.waitFor('Commands: /help');
    terminal.type('go', KEYS.enter);
    await terminal.waitFor(seen);
    await server.hanging();
    terminal.type(KEYS.escape);
    await terminal.waitFor('Interrupted. Go on with: /retry');
    await idle(terminal);
    terminal.type(KEYS.control('u'), 'and now?', KEYS.enter);
    await terminal.waitFor('I go on.');
  });
});
