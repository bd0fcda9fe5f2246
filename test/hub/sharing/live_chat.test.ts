import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { MarkName } from '../../../hub/protocol/node.js';
import { PROGRAM, runWords } from '../../support/cli.js';
import type { TestHub } from '../../support/hub.js';
import { KEYS, type TestTerminal, withTerminal } from '../../support/terminal.js';
import { POSTGRES_BIN, startServer, type TestServer } from '../../tools/postgres/server.js';
import { newTree, remote, say, sync, withLiveHubs } from './shared_trees.js';

/** Opens a program of the hub's home on a terminal. */
function onTerminal(hub: TestHub, words: readonly string[], use: (terminal: TestTerminal) => Promise<void>) {
  const person = join(dirname(hub.home), 'person');
  mkdirSync(person, { recursive: true });
  const env = { COGNITION_HOME: hub.home, HOME: person, TERM_PROGRAM: 'vscode' };
  const command = { command: process.execPath, args: [PROGRAM, ...words], cwd: person, env };
  return withTerminal({ ...command, size: { columns: 110, rows: 30 }, reflowsCursorLine: false }, use);
}

async function withServer(use: (server: TestServer) => Promise<void>): Promise<void> {
  const server = await startServer();
  try {
    await use(server);
  } finally {
    await server.stop();
  }
}

const joined = (screen: readonly string[]): string => screen.map((row) => row.trim()).join(' ');

test.skipIf(POSTGRES_BIN === null)(
  'a chat shows what another hub says as it is said, whose it is, and what is not sent while the database is away',
  { timeout: 120_000 },
  () =>
    withServer(async (server) => {
      await withLiveHubs([server.socket, server.socket], async (anna, ben) => {
        await anna.client.call('sharing.remote_init', { remote });
        const tree = await newTree(anna, 'trip');
        const first = await say(anna, { tree }, 'Where to?');
        await anna.client.call('sharing.share', { remote, tree });
        await sync(ben, tree);
        const shown = await runWords(ben.home, ['show', 'trip']);
        expect(shown).toMatch(/User \(\S+ · \S+\): Where to\?/);
        await onTerminal(ben, ['chat', 'trip'], async (terminal) => {
          await terminal.waitFor('Commands: /help');
          expect(joined(terminal.screen())).toMatch(/ · \S+: Where to\?/);
          await say(anna, { tree, node: first }, 'To the sea?');
          await terminal.waitFor((screen) => / · \S+: To the sea\?/.test(joined(screen)));
          await terminal.waitFor('Tab follows');
          terminal.type(KEYS.tab);
          await terminal.waitFor('INSERT');
          await server.kill();
          await terminal.waitFor('team: away');
          terminal.type('one', KEYS.enter);
          await terminal.waitFor('team: 1 to send');
          terminal.type('two', KEYS.enter);
          await terminal.waitFor('team: 2 to send');
          await server.restart();
          await terminal.waitFor((screen) => !joined(screen).includes('to send'));
        });
        await onTerminal(ben, ['log', 'trip', '-f'], async (terminal) => {
          await terminal.waitFor(/User: two/);
          await say(anna, { tree, node: first }, 'Or the hills?');
          await terminal.waitFor(/User \(\S+ · \S+\): Or the hills\?/);
        });
        await onTerminal(ben, ['chat', 'trip'], async (terminal) => {
          await terminal.waitFor('Commands: /help');
          terminal.type(KEYS.escape, KEYS.escape);
          await terminal.waitFor('Or the hills?');
          await say(anna, { tree, node: first }, 'Or home?');
          await terminal.waitFor(/User \(\S+ · \S+\): Or home\?/);
          await anna.client.call('loom.mark_set', { tree, name: MarkName.parse('agreed'), node: first });
          await terminal.waitFor('agreed');
        });
      });
    }),
);
