import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { PROGRAM, type TestCli, userHomeBeside, withCli } from '../../support/cli.js';
import { openBrowser } from '../../support/web/browser.js';

/** `cognition web` as a person starts it, and browsers that open its links. */
export interface ServedPage extends TestCli {
  /** Runs a command in the same surroundings; it must succeed. */
  say(...words: string[]): Promise<string>;
  /** Starts it with these words, and resolves to its link. */
  serve(...words: string[]): Promise<string>;
  /** Opens a link in a browser of its own, which may be prepared before. */
  open(link: string, prepare?: (page: Page) => Promise<void>): Promise<Page>;
  /** What pages did that they should not: errors, and requests to anybody else. */
  troubles: string[];
}

/** What commands and pages have in their environment besides. */
type Env = Readonly<Record<string, string>>;

export function withServedPage(use: (served: ServedPage) => Promise<void>, env: Env = {}): Promise<void> {
  return withCli(async (cli) => {
    const browser = await openBrowser();
    const started: ChildProcess[] = [];
    const troubles: string[] = [];
    try {
      await use({
        ...cli,
        troubles,
        async say(...words) {
          const { code, stdout, stderr } = await cli.run(words, { env: { ...env } });
          if (code !== 0) throw new Error(`cognition ${words.join(' ')} exits ${code}: ${stderr}`);
          return stdout;
        },
        async serve(...words) {
          const { child, link } = await serve(cli, words, env);
          started.push(child);
          return link;
        },
        async open(link, prepare = async () => undefined) {
          const page = await newPage(browser, link, troubles);
          await prepare(page);
          await page.goto(link);
          return page;
        },
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

async function serve(cli: TestCli, words: readonly string[], given: Env) {
  const env = {
    ...{ PATH: process.env.PATH ?? '', LANG: 'C.UTF-8' },
    ...{ HOME: userHomeBeside(cli.folder), COGNITION_HOME: cli.home, ...given },
  };
  const line = [PROGRAM, 'web', '--no-open', ...words];
  const child = spawn(process.execPath, line, { cwd: cli.folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [link] = await once(createInterface({ input: child.stdout }), 'line');
  return { child, link: String(link) };
}

async function newPage(browser: Browser, link: string, troubles: string[]): Promise<Page> {
  const context: BrowserContext = await browser.newContext({ viewport: { width: 1_200, height: 800 } });
  const page = await context.newPage();
  page.on('pageerror', (error) => troubles.push(error.message));
  page.on('console', (message) => {
    if (/Content Security Policy|TrustedHTML/.test(message.text())) troubles.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(new URL(link).origin)) troubles.push(request.url());
  });
  return page;
}
