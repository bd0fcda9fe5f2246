import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { PROGRAM, type TestCli, userHomeBeside, withCli } from '../../support/cli.js';
import { openBrowser } from '../../support/web/browser.js';

/** `cognition web` as a person starts it, and browsers that open its links. */
export interface ServedPage extends TestCli {
  /** Starts it with these words, and resolves to its link. */
  serve(...words: string[]): Promise<string>;
  /** Opens a link in a browser of its own. */
  open(link: string): Promise<Page>;
  /** What pages did that they should not: errors, and requests to anybody else. */
  troubles: string[];
}

export function withServedPage(use: (served: ServedPage) => Promise<void>): Promise<void> {
  return withCli(async (cli) => {
    const browser = await openBrowser();
    const started: ChildProcess[] = [];
    const troubles: string[] = [];
    try {
      await use({
        ...cli,
        troubles,
        serve: (...words) => serve(cli, started, words),
        open: (link) => open(browser, link, troubles),
      });
    } finally {
      await browser.close();
      for (const child of started) {
        if (child.exitCode !== null) continue;
        child.kill('SIGINT');
        await once(child, 'exit');
      }
    }
  });
}

async function serve(cli: TestCli, started: ChildProcess[], words: readonly string[]): Promise<string> {
  const env = {
    ...{ PATH: process.env.PATH ?? '', LANG: 'C.UTF-8' },
    ...{ HOME: userHomeBeside(cli.folder), COGNITION_HOME: cli.home },
  };
  const line = [PROGRAM, 'web', '--no-open', ...words];
  const child = spawn(process.execPath, line, { cwd: cli.folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  started.push(child);
  const [link] = await once(createInterface({ input: child.stdout }), 'line');
  return String(link);
}

async function open(browser: Browser, link: string, troubles: string[]): Promise<Page> {
  const context: BrowserContext = await browser.newContext({ viewport: { width: 1_200, height: 800 } });
  const page = await context.newPage();
  page.on('pageerror', (error) => troubles.push(error.message));
  page.on('console', (message) => {
    if (/Content Security Policy|TrustedHTML/.test(message.text())) troubles.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(new URL(link).origin)) troubles.push(request.url());
  });
  await page.goto(link);
  return page;
}
