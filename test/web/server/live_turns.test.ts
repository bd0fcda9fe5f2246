import { execFileSync } from 'node:child_process';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { call, words } from '../../hub/agent/turn/turn_calls.js';
import { breaking, fail, say } from '../../support/model/script.js';
import { KEY, type ModelServer, withModelServer } from '../../support/model_server.js';
import { CHROMIUM } from '../../support/web/browser.js';
import { type ServedPage, withServedPage } from './served_page.js';

const inBrowser = test.runIf(CHROMIUM !== null);

const WRITE = ['@', '--write', '--model', 'anthropic/claude-sonnet-5'];

/** A conversation that stands, and a model that answers as a test says. */
function withTurns(use: (served: ServedPage, server: ModelServer) => Promise<void>): Promise<void> {
  return withModelServer((server) =>
    withServedPage(
      async (served) => {
        await served.print('ask', 'list the files', '--model', 'demo');
        await use(served, server);
        expect(served.troubles).toEqual([]);
      },
      { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.origin },
    ),
  );
}

const tell = async (page: Page, text: string): Promise<void> => {
  const box = page.getByRole('textbox', { name: 'Say something' });
  await box.fill(text);
  await box.press('Enter');
  await expect.poll(() => box.inputValue()).toBe('');
};
const item = (page: Page, name: RegExp) => page.getByRole('treeitem', { name });

inBrowser('turns that run at once have a row each, on every page; one is steered, another stopped', () =>
  withTurns(async (served, server) => {
    execFileSync('mkfifo', [join(served.folder, 'pipe')]);
    server.script(say(call('c1', 'bash', { command: 'cat pipe' })), breaking('hang', words('I never end')));
    const writer = await served.open(await served.serve(...WRITE));
    const reader = await served.open(await served.serve('@'));
    for (const page of [writer, reader]) await page.getByText('I found no files').waitFor();

    await tell(writer, 'wait for the pipe');
    const pipe = await open(join(served.folder, 'pipe'), 'w');
    await item(writer, /list the files/).click();
    await writer.getByRole('checkbox').check();
    await tell(writer, 'begin another branch');
    for (const page of [writer, reader]) {
      await page.locator('.run', { hasText: 'cat pipe' }).waitFor();
      await page.locator('.run', { hasText: 'I never end' }).waitFor();
      expect(await page.locator('.run').count()).toBe(2);
    }
    expect(await reader.getByRole('button', { name: 'Stop' }).count()).toBe(0);

    await writer.locator('.run', { hasText: 'cat pipe' }).getByRole('button').first().click();
    await writer.getByText('is told to the turn that runs').waitFor();
    await tell(writer, 'and be brief');
    server.script(say(words('Briefly done.')));
    await pipe.close();
    for (const page of [writer, reader]) await item(page, /and be brief/).waitFor();
    expect(await served.print('show')).toContain('Briefly done.');

    await writer.locator('.run', { hasText: 'I never end' }).getByRole('button', { name: 'Stop' }).click();
    for (const page of [writer, reader]) {
      await expect.poll(() => page.locator('.run').count()).toBe(0);
      await item(page, /begin another branch/).waitFor();
    }
  }),
);

inBrowser('a question is answered on the page that may write; others see it, and what comes of it', () =>
  withTurns(async (served, server) => {
    const question = { question: 'Which way?', options: ['left', 'right'] };
    server.script(say(words('Hm.'), call('c1', 'ask_user', question)), say(words('So to the left.')));
    const writer = await served.open(await served.serve(...WRITE, '--level', 'plan'));
    const reader = await served.open(await served.serve('@'));
    for (const page of [writer, reader]) await page.getByText('I found no files').waitFor();
    await tell(writer, 'plan it');
    await reader.getByText('this page only reads').waitFor();
    expect(await reader.locator('.question').innerText()).toContain('Which way?');
    await writer.getByRole('button', { name: 'left', exact: true }).click();
    for (const page of [writer, reader]) await page.locator('.reading').getByText('So to the left.').waitFor();
    expect(await served.print('show')).toContain('So to the left.');
  }),
);

inBrowser('a turn that fails is told on the page, with its reason', () =>
  withTurns(async (served, server) => {
    server.script(fail(400, 'the prompt is not to my taste'));
    const page = await served.open(await served.serve(...WRITE));
    await page.getByText('I found no files').waitFor();
    await tell(page, 'try it');
    await page.getByRole('button', { name: /A turn has failed: .*not to my taste/ }).waitFor();
    await item(page, /try it/).waitFor();
  }),
);

inBrowser('a race has a board: its lanes with state, check, files, tokens and time', () =>
  withTurns(async (served) => {
    const page = await served.open(await served.serve('@'));
    await page.getByText('I found no files').waitFor();
    const check = `cd ${served.folder} && sh hello-demo.sh`;
    await served.print('race', '@', 'write a program', '--with', 'demo×2', '--check', check);
    const board = page.locator('.race');
    await board.getByText('The last race: 2 lanes').waitFor();
    await board.locator('summary').click();
    const lane = /^[12]\. demo done · check ok · 1 file \+3 −0 .*tokens · .* s$/;
    for (const text of await board.locator('.run').allInnerTexts()) expect(text.replace(/\s+/g, ' ')).toMatch(lane);
    await board.getByRole('button', { name: /^2\. demo/ }).click();
    await page.getByText('This branch changed 1 file').click();
    await page.locator('.branch-files summary', { hasText: 'hello-demo.sh' }).click();
    await page.locator('.branch-files').getByText('Hello, tree!').waitFor();
  }),
);

inBrowser('what is archived elsewhere is told, and goes without the page being read anew', () =>
  withTurns(async (served) => {
    await served.print('ask', '@', 'a second message', '--model', 'demo');
    const page = await served.open(await served.serve(...WRITE));
    await item(page, /a second message/).click();
    await page.getByRole('textbox', { name: 'Say something' }).fill('a draft');
    const nodes = await served.json('show');
    const listed: unknown = Reflect.get(Object(nodes), 'nodes');
    const [second] = Array.isArray(listed) ? listed.filter(({ preview }) => preview === 'a second message') : [];
    await served.print('delete', '@', second.id);
    await page.getByRole('button', { name: /A branch was archived/ }).waitFor();
    await expect.poll(() => item(page, /a second message/).count()).toBe(0);
    expect(await page.getByRole('textbox', { name: 'Say something' }).inputValue()).toBe('a draft');
    await page.getByText('I found no files').waitFor();
    await served.print('restore', '@', second.id);
    await item(page, /a second message/).waitFor();
  }),
);

inBrowser('the page has an icon, and asks for nothing that is not there', () =>
  withTurns(async (served) => {
    const missing: string[] = [];
    const page = await served.open(await served.serve('@'), async (opened) => {
      opened.on('response', (response) => {
        if (response.status() >= 400) missing.push(response.url());
      });
    });
    await page.getByText('I found no files').waitFor();
    expect(await page.evaluate(async () => (await fetch('/favicon.ico')).status)).toBe(200);
    expect(missing).toEqual([]);
  }),
);
