import { mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { words } from '../../../hub/agent/turn/turn_calls.js';
import { PROGRAM, userHomeBeside } from '../../../support/cli.js';
import { connectTo, hubPid, killHub, withHome } from '../../../support/hub.js';
import { breaking, fail, say } from '../../../support/model/script.js';
import { KEY, type ModelServer, withModelServer } from '../../../support/model_server.js';
import { KEYS, type TestTerminal, withTerminal } from '../../../support/terminal.js';
import { idle, type ScreenTalk, withTalkOnScreen } from './screen_talk.js';

test('a hub that is killed while one writes is told, and not a key stroke is lost', async () => {
  await withTalkOnScreen([], async ({ terminal, server, home }) => {
    server.script(say(words('One.')), say(words('Two.')));
    await terminal.waitFor('Commands: /help');
    terminal.type('hello', KEYS.enter);
    await terminal.waitFor('One.');
    await idle(terminal);
    terminal.type('half a sen');
    await killHub(home);
    terminal.type('tence');
    await terminal.waitFor('(the hub had ended, and runs again)');
    await terminal.waitFor('> half a sentence');
    terminal.type(KEYS.enter);
    await terminal.waitFor('Two.');
    expect(JSON.stringify(server.requests.at(-1)?.body.messages)).toContain('half a sentence');
  });
});

test('a hub that is killed while a model server is waited for tells how to go on', async () => {
  await withTalkOnScreen([], async ({ terminal, server, home }) => {
    const later = { type: 'rate_limit_error', headers: { 'retry-after': '200' } };
    server.script(fail(429, 'slow down', later), say(words('Here I am.')));
    await terminal.waitFor('Commands: /help');
    terminal.type('hello', KEYS.enter);
    await terminal.waitFor('asks again in');
    await killHub(home);
    await terminal.waitFor('Interrupted: the hub has ended. Go on with: /retry');
    expect(terminal.screen().join('\n')).not.toContain('asks again in');
    terminal.type('/retry', KEYS.enter);
    await terminal.waitFor('Here I am.');
  });
});

test('/retry while the hub of a turn is away waits for the next one, and then answers', async () => {
  await withTalkOnScreen([], async ({ terminal, server, home }) => {
    server.script(breaking('hang', words('Once')), say(words('Here I am.')));
    await terminal.waitFor('Commands: /help');
    terminal.type('hello', KEYS.enter);
    await terminal.waitFor('Once');
    const pid = await hubPid(home);
    // It answers nothing, so that the command comes before its end is known.
    process.kill(pid, 'SIGSTOP');
    terminal.type('/retry', KEYS.enter);
    await terminal.waitFor('> /retry');
    process.kill(pid, 'SIGKILL');
    await terminal.waitFor('Here I am.');
    expect(terminal.transcript().join('\n')).not.toContain('a turn is running');
  });
});

test('inputs of a turn become messages when its hub is killed, and the next answer replies to them', async () => {
  await withTalkOnScreen([], async ({ terminal, server, home }) => {
    await messageWaits({ terminal, server, home });
    await killHub(home);
    await terminal.waitFor('> and a short one');
    await terminal.waitFor('Interrupted: the hub has ended. Go on with: /retry');
    await idle(terminal);
    server.script(say(words('Once upon a time.')));
    terminal.type('/retry', KEYS.enter);
    await terminal.waitFor('Once upon a time.');
    expect(JSON.stringify(server.requests.at(-1)?.body.messages)).toMatch(/a story.*and a short one/);
    expect(terminal.transcript().filter((row) => row.includes('and a short one'))).toHaveLength(1);
  });
});

test('inputs of a turn are not lost when its hub is killed while they are withdrawn', async () => {
  await withTalkOnScreen([], async ({ terminal, server, home }) => {
    await messageWaits({ terminal, server, home });
    const pid = await hubPid(home);
    process.kill(pid, 'SIGSTOP');
    terminal.type('/stop', KEYS.enter);
    await terminal.waitFor('stopping…');
    process.kill(pid, 'SIGKILL');
    // It stands in the tree, or in the editor.
    await terminal.waitFor('> and a short one');
    await idle(terminal);
    expect(terminal.screen().join('\n')).not.toContain('steers:');
  });
});

test('a hub that is killed while it summarises says that /compact goes on', async () => {
  await withTalkOnScreen([], async ({ terminal, server, home }) => {
    server.script(say(words('One.')), breaking('hang', words('Sum')));
    await terminal.waitFor('Commands: /help');
    terminal.type('hello', KEYS.enter);
    await terminal.waitFor('One.');
    await idle(terminal);
    terminal.type('/compact', KEYS.enter);
    await server.hanging();
    await killHub(home);
    await terminal.waitFor('Interrupted: the hub has ended. Go on with: /compact');
  });
});

test('a hub that was ended in order is not started by a chat that only stands there', async () => {
  await withTalkOnScreen([], async ({ terminal, server, home }) => {
    server.script(say(words('One.')), say(words('Two.')));
    await terminal.waitFor('Commands: /help');
    terminal.type('hello', KEYS.enter);
    await terminal.waitFor('One.');
    await idle(terminal);
    // What is asked about the place right after a turn may still be under way: that wants its hub back, once.
    const isTold = (): boolean => terminal.screen().join('\n').includes('The hub has ended. It starts again with');
    await vi.waitFor(() => stopHubUntil(home, isTold), { timeout: 20_000, interval: 250 });
    await terminal.waitFor('The hub has ended. It starts again with what you do next.');
    await expect(connectTo(home, { start: false })).rejects.toMatchObject({ kind: 'unreachable' });
    terminal.type('more', KEYS.enter);
    await terminal.waitFor('Two.');
    expect(terminal.screen().join('\n')).not.toContain('The hub has ended.');
  });
});

test('while a hub does not answer what is sent waits in sight, and is said when it does', async () => {
  await withTalkOnScreen([], async ({ terminal, server, home }) => {
    server.script(say(words('Zero.')));
    await terminal.waitFor('Commands: /help');
    terminal.type('begin', KEYS.enter);
    await terminal.waitFor('Zero.');
    await idle(terminal);
    const pid = await hubPid(home);
    process.kill(pid, 'SIGSTOP');
    try {
      terminal.type('first', KEYS.enter);
      await terminal.waitFor('working…\n  waits: first');
      terminal.type('second', KEYS.enter);
      await terminal.waitFor('  waits: first\n  waits: second');
      terminal.type('third');
      await terminal.waitFor('> third');
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    server.script(say(words('One.')), say(words('Two.')));
    await terminal.waitFor('Two.');
    await idle(terminal);
    const shown = terminal.screen().join('\n');
    expect(shown).not.toContain('steers:');
    expect(shown).toContain('> third');
    expect(JSON.stringify(server.requests.at(-1)?.body.messages)).toMatch(/first.*second/);
  });
});

/** A chat of a program of its own, whose parts can be taken away. */
function withOwnProgram(
  use: (terminal: TestTerminal, talk: { server: ModelServer; home: string; hub: string }) => Promise<void>,
) {
  return withModelServer((server) =>
    withHome(async (home) => {
      const [folder, dist] = [join(dirname(home), 'work'), join(dirname(home), 'dist')];
      mkdirSync(folder);
      mkdirSync(dist);
      const built = dirname(PROGRAM);
      for (const name of readdirSync(built)) symlinkSync(join(built, name), join(dist, name));
      const env = {
        ...{ COGNITION_HOME: home, HOME: userHomeBeside(folder), COGNITION_MODEL: 'anthropic/claude-sonnet-5' },
        ...{ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.origin },
      };
      const args = ['--preserve-symlinks', '--preserve-symlinks-main', join(dist, 'cognition.cjs'), 'chat'];
      await withTerminal({ command: process.execPath, args, cwd: folder, env }, (terminal) =>
        use(terminal, { server, home, hub: join(dist, 'hub.js') }),
      );
    }),
  );
}

test('where no hub can be started that is said once for each thing one does, and nothing is lost', async () => {
  await withOwnProgram(async (terminal, { server, home, hub }) => {
    server.script(say(words('One.')), breaking('hang', words('Half an')));
    await terminal.waitFor('Commands: /help');
    terminal.type('hello', KEYS.enter);
    await terminal.waitFor('One.');
    await idle(terminal);
    terminal.type('a story', KEYS.enter);
    await terminal.waitFor('Half an');
    terminal.type('with a moral', KEYS.enter);
    await terminal.waitFor('steers: with a moral');
    await inputKept(home);
    rmSync(hub);
    await killHub(home);
    await terminal.waitFor('(how far it came is not known; when there is a hub again: /retry)');
    await terminal.waitFor('No hub can be reached. What you do next looks for it again.');
    expect(terminal.screen().join('\n')).not.toContain('steers:');
    expect(missing(terminal)).toBe(1);
    terminal.type('and then?', KEYS.enter);
    await terminal.waitFor(() => missing(terminal) === 2);
    await terminal.waitFor('> and then?');
    // Another program may start one: that is seen without a key.
    const other = await connectTo(home);
    await terminal.waitFor('(the hub is there again)');
    await terminal.waitFor(/^> with a moral$/m);
    await other.close();
    symlinkSync(join(dirname(PROGRAM), 'hub.js'), hub);
    server.script(say(words('The end.')));
    terminal.type(KEYS.enter);
    await terminal.waitFor('The end.');
    await idle(terminal);
    const shown = terminal.screen().join('\n');
    expect(missing(terminal)).toBe(2);
    expect(shown).not.toMatch(/No hub can be reached|kept as notes/);
  });
});

/** A turn whose answer hangs, and a message that waits for it. */
async function messageWaits({ terminal, server, home }: Pick<ScreenTalk, 'terminal' | 'server' | 'home'>) {
  server.script(breaking('hang', words('Half an')));
  await terminal.waitFor('Commands: /help');
  terminal.type('a story', KEYS.enter);
  await terminal.waitFor('Half an');
  terminal.type('and a short one', KEYS.enter);
  await terminal.waitFor('steers: and a short one');
  await inputKept(home);
}

/** Resolves when the hub has what is said to its turn: it is shown as waiting a moment before. */
async function inputKept(home: string): Promise<void> {
  const client = await connectTo(home, { start: false });
  await vi.waitFor(async () => {
    const { turns } = await client.call('agent.status', {});
    const kept = await Promise.all(turns.map(({ turn }) => client.call('loom.turn_get', { turn })));
    expect(kept.flatMap(({ inputs }) => inputs)).toHaveLength(1);
  });
  await client.close();
}

/** How often it has been told that the program of the hub is missing. */
function missing(terminal: TestTerminal): number {
  return terminal.transcript().filter((row) => row.startsWith("the hub's program")).length;
}

/** Ends the hub in order, if there is one; throws as long as it is not as wanted. */
async function stopHubUntil(home: string, isSo: () => boolean): Promise<void> {
  if (isSo()) return;
  const client = await connectTo(home, { start: false }).catch(() => null); // it has ended, or is about to start
  await client?.call('health.stop', {});
  await client?.close();
  throw new Error('it may start again');
}
