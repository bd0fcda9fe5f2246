import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { FileData } from '../../../cli/web/page/source/file_data.js';
import { exportedPage } from './exported_page.js';

/** An exported file in a browser, and what should never happen there. */
export interface OpenedPage {
  page: Page;
  file: string;
  /** Errors, words on the console, violations of the policy, and requests for anything but the file. */
  troubles: string[];
  close(): Promise<void>;
}

export interface OpenOptions extends BrowserContextOptions {
  /** Replaces what the file is made of. */
  html?: string;
}

/** Opens an exported file as a person does who was sent it. */
export async function openPage(browser: Browser, data: FileData, options: OpenOptions = {}): Promise<OpenedPage> {
  const { html = await exportedPage(data), ...given } = options;
  const folder = await mkdtemp(join(tmpdir(), 'cognition-page-'));
  const file = pathToFileURL(join(folder, 'talk.html')).href;
  await writeFile(join(folder, 'talk.html'), html);
  const context = await browser.newContext({ viewport: { width: 1_400, height: 900 }, ...given });
  const page = await context.newPage();
  const troubles: string[] = [];
  page.on('console', (message) => troubles.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => troubles.push(`error: ${error.message}`));
  page.on('request', (request) => {
    if (request.url() !== file) troubles.push(`request: ${request.url()}`);
  });
  page.on('dialog', (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    dialog.dismiss().catch(() => troubles.push('a dialog stays'));
  });
  await page.goto(file);
  if (given.javaScriptEnabled !== false) await page.waitForSelector('#app[data-ready]', { state: 'attached' });
  return {
    ...{ page, file, troubles },
    async close() {
      await context.close();
      await rm(folder, { recursive: true, maxRetries: 5 });
    },
  };
}
