import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROGRAM, runWords } from '../../support/cli.js';
import type { TestHub } from '../../support/hub.js';
import { say as answers, breaking } from '../../support/model/script.js';
import { type ModelServer, withModelServer } from '../../support/model_server.js';
import { KEYS, type TestTerminal, withTerminal } from '../../support/terminal.js';
import { accessTo, beginTurn, type TestTurn } from '../../support/turns.js';
import { asOwner } from '../../tools/postgres/database.js';
import { POSTGRES_BIN, startServer, type TestServer } from '../../tools/postgres/server.js';
import { ask, PLAN } from '../agent/tools/question_calls.js';
import { words } from '../agent/turn/turn_calls.js';
import { newTree, remote, say, withLiveHubs } from './shared_trees.js';

const CHANGE = { model: 'anthropic/claude-sonnet-5' };

interface Parts {
  anna: TestHub;
  ben: TestHub;
  model: ModelServer;
  /** Ben's chat in the conversation. */
  chat: TestTerminal;
  /** A turn in Anna's hub. */
  begin(change?: object): TestTurn;
}

const joined = (screen: readonly string[]): string => screen.join(' ').replace(/\s+/g, ' ');
const shows =
  (text: string) =>
  (screen: readonly string[]): boolean =>
    joined(screen).includes(text);

describe.skipIf(POSTGRES_BIN === null)('in a chat, before the turn of another hub', { timeout: 120_000 }, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
    await asOwner(
      server,
      `CREATE ROLE cognition_reader NOLOGIN; CREATE ROLE cognition_writer NOLOGIN;
       CREATE ROLE eva LOGIN PASSWORD 'eva'; GRANT cognition_reader TO eva`,
    );
  });
  afterAll(() => server.stop());

  function withChat(use: (parts: Parts) => Promise<void>, address = server.socket): Promise<void> {
    return withModelServer((model) =>
      withLiveHubs([server.socket, address], async (anna, ben) => {
        await anna.client.call('sharing.remote_init', { remote });
        const tree = await newTree(anna, 'trip');
        const question = await say(anna, { tree }, 'go on');
        await anna.client.call('sharing.share', { remote, tree });
        await ben.client.call('sharing.sync', { remote, tree, sends: false });
        const person = join(dirname(ben.home), 'person');
        mkdirSync(person, { recursive: true });
        const begin = (change: object = CHANGE): TestTurn =>
          beginTurn(anna.client, { tree, node: question, cwd: person, change, access: accessTo(model) });
        const env = { COGNITION_HOME: ben.home, HOME: person, TERM_PROGRAM: 'vscode' };
        const command = { command: process.execPath, args: [PROGRAM, 'chat', 'trip'], cwd: person, env };
        await withTerminal(command, async (chat) => {
          await chat.waitFor('Commands: /help');
          await use({ anna, ben, model, chat, begin });
        });
      }),
    );
  }

  test('a message goes to that, and a key stops it there', async () => {
    await withChat(async ({ anna, model, chat, begin }) => {
      model.script(breaking('hang', words('Let me think')));
      const turn = begin();
      await chat.waitFor(shows("'s hub is working here)"));
      await chat.waitFor(/^What you write goes to \S+ · \S+'s hub\. A branch: \/fork/m);
      await model.hanging();
      chat.type('and be brief', KEYS.enter);
      await chat.waitFor(shows('what you type goes there'));
      await chat.waitFor(/^ {2}steers: and be brief$/m);
      await expect
        .poll(async () => (await anna.client.call('loom.input_list', { turn: turn.id })).inputs, { timeout: 30_000 })
        .toMatchObject([{ state: 'pending', blocks: [{ type: 'text', text: 'and be brief' }] }]);
      chat.type(KEYS.control('c'));
      expect(await turn.outcome).toMatchObject({ state: 'interrupted', why: 'asked' });
      await chat.waitFor(shows('Let me think [interrupted]'));
      await chat.waitFor(shows('has been stopped here)'));
    });
  });

  test('/stop stops it there, also without coming along', async () => {
    await withChat(async ({ model, chat, begin }) => {
      model.script(breaking('hang', words('Let me think')));
      const turn = begin();
      await chat.waitFor(shows("'s hub is working here)"));
      await model.hanging();
      chat.type('/stop', KEYS.enter);
      await chat.waitFor(shows('(stopping what '));
      expect(await turn.outcome).toMatchObject({ state: 'interrupted', why: 'asked' });
      await chat.waitFor(shows('has been stopped here)'));
    });
  });

  test('what it asks is answered by what is typed, and its own hub goes on', async () => {
    await withChat(async ({ model, chat, begin, ben }) => {
      model.script(answers(words('First.'), ask('c1', 'Which?', ['tea', 'coffee'])), answers(words('Two cups.')));
      await begin(PLAN).outcome;
      await chat.waitFor(shows("'s hub waits for an answer: Which? 1 tea 2 coffee"));
      chat.type('1', KEYS.enter);
      await chat.waitFor(shows('(this answers what '));
      await chat.waitFor(shows('Two cups.'));
      expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('tea');
      // The chat stands at the end of it: what is said next goes on from there.
      chat.type('thanks', KEYS.enter);
      await chat.waitFor(shows('messages are kept as notes'));
      const shown = await runWords(ben.home, ['show', 'trip']);
      expect(shown.slice(shown.indexOf('Two cups.'))).toContain('thanks');
    });
  });

  test('what it asks is answered from the shell as well', async () => {
    await withChat(async ({ model, begin, chat, ben }) => {
      model.script(answers(words('First.'), ask('c1', 'Which?', ['tea', 'coffee'])), answers(words('Two cups.')));
      await begin(PLAN).outcome;
      await chat.waitFor(shows("'s hub waits for an answer"));
      expect(await runWords(ben.home, ['answer', 'trip', '--option', '2'])).toBe('Two cups.\n');
    });
  });

  test('one that may only read is told so, and has the words back', async () => {
    await withChat(
      async ({ model, chat, begin }) => {
        model.script(breaking('hang', words('Hm')));
        const turn = begin();
        turn.outcome.catch(() => undefined); // its hub is killed
        await chat.waitFor(shows("'s hub is working here)"));
        chat.type('hear me', KEYS.enter);
        await chat.waitFor(shows('you may only read at team'));
        await chat.waitFor(/^[^a-z]*hear me/m);
        chat.type(KEYS.control('u'), '/stop', KEYS.enter);
        await chat.waitFor((screen) => joined(screen).split('you may only read at team').length === 3);
      },
      server.loopback('eva', 'eva'),
    );
  });

  test('a turn that began before the chat did is on its list, and not as running while the database is away', async () => {
    await withChat(async ({ model, chat, begin }) => {
      model.script(breaking('hang', words('Hm')));
      const turn = begin();
      turn.outcome.catch(() => undefined); // its hub is killed
      await chat.waitFor(shows("'s hub is working here)"));
      await model.hanging();
      chat.type('/agents', KEYS.enter);
      await chat.waitFor(/here +answering +\S+ +just now +\S+ · \S+'s hub/);
      chat.type(KEYS.escape);
      await chat.waitFor('NORMAL');
      chat.type(' a');
      await chat.waitFor(/At work: 1\./);
      await chat.waitFor(/> \S+ · \S+ +answering/);
      await server.kill();
      await chat.waitFor(/Nothing is running\./);
      await chat.waitFor(/> \S+ · \S+ +last seen just now/);
      chat.type('x');
      await chat.waitFor('Its hub cannot be asked now.');
      chat.type('q');
      await chat.waitFor(shows('goes on here is not known while team is away)'));
      chat.type('hear me', KEYS.enter);
      await chat.waitFor(shows('team: 1 to send'));
      await server.restart();
    });
  });
});
