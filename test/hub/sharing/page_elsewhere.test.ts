import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { say as answers, breaking } from '../../support/model/script.js';
import { type ModelServer, withModelServer } from '../../support/model_server.js';
import { accessTo, beginTurn, type TestTurn } from '../../support/turns.js';
import { CHROMIUM } from '../../support/web/browser.js';
import { POSTGRES_BIN, startServer, type TestServer } from '../../tools/postgres/server.js';
import { withServedPage } from '../../web/server/served_page.js';
import { ask, PLAN } from '../agent/tools/question_calls.js';
import { words } from '../agent/turn/turn_calls.js';
import { nameRemote, newTree, remote, say, withLiveHubs } from './shared_trees.js';

const CHANGE = { model: 'anthropic/claude-sonnet-5' };
const inBrowser = test.runIf(CHROMIUM !== null && POSTGRES_BIN !== null);

let server: TestServer;
beforeAll(async () => {
  if (POSTGRES_BIN !== null) server = await startServer();
});
afterAll(() => server?.stop());

interface Parts {
  model: ModelServer;
  /** Ben's page of the conversation, which may write. */
  page: Page;
  /** A turn in Anna's hub. */
  begin(change?: object): TestTurn;
}

function withPage(use: (parts: Parts) => Promise<void>): Promise<void> {
  return withModelServer((model) =>
    withLiveHubs([server.socket], async (anna) => {
      await anna.client.call('sharing.remote_init', { remote });
      const tree = await newTree(anna, 'trip');
      const question = await say(anna, { tree }, 'go on');
      await anna.client.call('sharing.share', { remote, tree });
      await withServedPage(async (served) => {
        nameRemote(served.home, server.socket, '');
        await served.print('pull', `team/${tree}`);
        const page = await served.open(await served.serve('trip', '--write'));
        await page.getByText('go on').first().waitFor();
        const project = join(dirname(anna.home), 'project');
        mkdirSync(project);
        const begin = (change: object = CHANGE): TestTurn =>
          beginTurn(anna.client, { tree, node: question, cwd: project, change, access: accessTo(model) });
        await use({ model, page, begin });
        expect(served.troubles).toEqual([]);
      });
    }),
  );
}

inBrowser(
  'a page shows whose hub a turn runs in, stops it there, and not while the database is away',
  { timeout: 120_000 },
  () =>
    withPage(async ({ model, page, begin }) => {
      model.script(breaking('hang', words('Let me think')), breaking('hang', words('Once more')));
      const first = begin();
      const run = page.locator('.run', { hasText: /\S+ · \S+ · claude-sonnet-5/ });
      await run.waitFor();
      expect(await run.textContent()).not.toContain('tokens');
      await model.hanging();
      await run.getByRole('button', { name: 'Stop' }).click();
      expect(await first.outcome).toMatchObject({ state: 'interrupted', why: 'asked' });
      await page.getByText('Let me think').first().waitFor();
      await expect.poll(() => run.count(), { timeout: 30_000 }).toBe(0);
      const second = begin();
      second.outcome.catch(() => undefined); // its hub is killed
      await run.waitFor();
      await server.kill();
      await expect.poll(() => run.count(), { timeout: 30_000 }).toBe(0);
      await server.restart();
      await run.waitFor();
    }),
);

inBrowser('a question of another hub’s turn is answered on a page, and that goes on', { timeout: 120_000 }, () =>
  withPage(async ({ model, page, begin }) => {
    model.script(answers(words('First.'), ask('c1', 'Which?', ['tea', 'coffee'])), answers(words('Two cups.')));
    await begin(PLAN).outcome;
    await page.getByRole('button', { name: 'coffee' }).first().click();
    await page.getByText('Two cups.').first().waitFor();
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('coffee');
  }),
);
