import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { words } from '../../../hub/agent/turn/turn_calls.js';
import { breaking, fail, type Script, say } from '../../../support/model/script.js';
import { KEYS, type TestTerminal, withChat } from '../../../support/terminal.js';
import { idle, withTalkOnScreen } from './screen_talk.js';

const OVERLOADED = { type: 'overloaded_error' };
const SLOW_DOWN = { type: 'rate_limit_error' };

/** Rows as they were written, whatever the width of the window has made of them. */
function unwrapped(terminal: TestTerminal): string {
  return terminal.transcript().join(' ');
}

const REFUSALS: readonly (readonly [string, Script, RegExp])[] = [
  [
    'a wrong key',
    fail(401, 'bad key', { type: 'authentication_error' }),
    /does not accept the key.*leave, set a valid key for anthropic/,
  ],
  [
    'a model that is not allowed',
    fail(403, 'no', { type: 'permission_error' }),
    /does not allow this key.*another model/,
  ],
  ['an unknown model', fail(404, 'model: x', { type: 'not_found_error' }), /has no model.*choose another model/],
  ['too long a request', fail(413, 'too large', { type: 'request_too_large' }), /is too long for.*\/compact/],
  [
    'a limit for an hour',
    fail(429, 'wait', { ...SLOW_DOWN, headers: { 'retry-after': '3600' } }),
    /left alone for 60 minutes; then: \/retry/,
  ],
];

test('a server that refuses is told in one line with what to do, and /retry goes on', async () => {
  await withTalkOnScreen([], async ({ terminal, server }) => {
    await terminal.waitFor('Commands: /help');
    for (const [index, [, script, wanted]] of REFUSALS.entries()) {
      server.script(script);
      terminal.type(index === 0 ? 'hello' : '/retry', KEYS.enter);
      await terminal.waitFor(() => wanted.test(unwrapped(terminal)));
      await idle(terminal);
    }
    terminal.type('/retry', KEYS.enter);
    await terminal.waitFor('Hello.');
    expect(terminal.transcript().filter((row) => row === '> hello')).toHaveLength(1);
  });
});

test('a wait for a server that is asked again is counted down, and Esc ends it at once', async () => {
  await withTalkOnScreen([], async ({ terminal, server }) => {
    server.script(
      fail(429, 'slow down', { ...SLOW_DOWN, headers: { 'retry-after': '200' } }),
      say(words('Here I am.')),
    );
    await terminal.waitFor('Commands: /help');
    terminal.type('hello', KEYS.enter);
    await terminal.waitFor(/^waiting, asks again in 3 min \d+ s, Esc stops$/m);
    expect(unwrapped(terminal)).toContain('slow down; again in 200 s)');
    terminal.type('and quickly', KEYS.enter);
    await terminal.waitFor('steers: and quickly');
    terminal.type(KEYS.escape);
    await terminal.waitFor('Interrupted. Go on with: /retry');
    await terminal.waitFor('> and quickly');
    expect(terminal.screen().join('\n')).not.toContain('asks again');
    expect(server.requests).toHaveLength(1);
    terminal.type(KEYS.control('u'), '/retry', KEYS.enter);
    await terminal.waitFor('Here I am.');
  });
});

test('a server that is overloaded for a moment is asked again, without a wait that it named', async () => {
  await withTalkOnScreen([], async ({ terminal, server }) => {
    server.script(fail(529, 'Overloaded', OVERLOADED), fail(500, 'Oops'), say(words('Here I am.')));
    await terminal.waitFor('Commands: /help');
    terminal.type('hello', KEYS.enter);
    await terminal.waitFor('Here I am.');
    expect(unwrapped(terminal)).toMatch(/overloaded or has a fault \(529\).*again in 1 s\).*\(500\).*again in \d s\)/);
    await idle(terminal);
    expect(terminal.screen().join('\n')).not.toContain('asks again');
  });
});

test('an answer that breaks in its middle begins again below what was said', async () => {
  await withTalkOnScreen([], async ({ terminal, server }) => {
    server.script(breaking('cut', words('Once upon a')), say(words('Once upon a time.')));
    await terminal.waitFor('Commands: /help');
    terminal.type('a story', KEYS.enter);
    await terminal.waitFor('Once upon a time.');
    expect(unwrapped(terminal)).toMatch(
      /Once upon a \(the connection .*cut in the middle.*again in 1 s\) \(the answer starts again\)/,
    );
  });
});

test('an answer that is cut short, refused or empty says so, and what was said of it stays', async () => {
  await withTalkOnScreen([], async ({ terminal, server }) => {
    const half = say(words('It was a dark'));
    await terminal.waitFor('Commands: /help');
    server.script({ ...half, end: 'max_tokens' });
    terminal.type('write', KEYS.enter);
    await terminal.waitFor(() =>
      unwrapped(terminal).includes('longer than the model may write at once. Go on with: /retry'),
    );
    expect(terminal.screen()).toContain('It was a dark');
    await idle(terminal);
    server.script({ ...say(words('I would')), end: 'refused' });
    terminal.type('again', KEYS.enter);
    await terminal.waitFor('The model refused to go on.');
    await idle(terminal);
    expect(terminal.screen()).toContain('I would');
    expect(terminal.screen().join('\n')).not.toContain('starts again');
    server.script(say());
    terminal.type('once more', KEYS.enter);
    await terminal.waitFor('The model said nothing. Go on with: /retry');
  });
});

/** A port at which nobody listens. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}

test('a server that is not there is told with what to look at, and is asked again until Esc', async () => {
  const env = {
    ...{ OPENAI_API_KEY: 'sk-none', OPENAI_BASE_URL: `http://127.0.0.1:${await closedPort()}/v1` },
    COGNITION_MODEL: 'openai/gpt-5',
  };
  await withChat({ env }, async (terminal) => {
    await terminal.waitFor('Commands: /help');
    terminal.type('hello', KEYS.enter);
    await terminal.waitFor(() =>
      /cannot reach .*127\.0\.0\.1:.*\(ECONNREFUSED\); again in \d s\)/.test(unwrapped(terminal)),
    );
    terminal.type(KEYS.escape);
    await terminal.waitFor('Interrupted. Go on with: /retry');
  });
});
