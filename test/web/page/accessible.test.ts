import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, openBrowser } from '../../support/web/browser.js';
import { exportedPage } from '../../support/web/exported_page.js';
import { openPage } from '../../support/web/opened_page.js';
import { importerTree } from '../../support/web/page_trees.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds wrong on a page, as rule and place. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const found: unknown = await page.evaluate(`axe.run().then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ' ' + html.slice(0, 120))))`);
  return Array.isArray(found) ? found.map(String) : ['axe did not answer'];
}

describe.skipIf(CHROMIUM === null)('the page for people who listen or use keys, in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser.close();
  });

  const widths = [1_400, 390];
  const themes = ['light', 'dark'] as const;
  const cases = widths.flatMap((width) => themes.map((colorScheme) => ({ width, colorScheme })));

  test.each(cases)(
    'has nothing that axe finds wrong at $width pixels, $colorScheme, in each view',
    async ({ width, colorScheme }) => {
      const opened = await openPage(browser, importerTree(), {
        viewport: { width, height: 844 },
        colorScheme,
        bypassCSP: true,
      });
      const { page } = opened;
      for (const key of ['1', '2', '3', '4', '?']) {
        await page.keyboard.press(key);
        expect({ key, found: await violations(page) }).toEqual({ key, found: [] });
      }
      await page.keyboard.press('Escape');
      for (const button of width === 390 ? await page.locator('.tabs button').all() : []) {
        await button.click();
        expect(await violations(page)).toEqual([]);
      }
      await opened.close();
    },
  );

  test('is a tree whose items say where they are', async () => {
    const { page, close } = await openPage(browser, importerTree());
    const tree = page.locator('[role="tree"]');
    expect(await tree.getAttribute('aria-label')).toBe('The conversation as a tree');
    const item = page.locator('[role="treeitem"]', { hasText: 'Try worker threads' });
    expect(await item.getAttribute('aria-level')).toBe('2');
    expect(await item.getAttribute('aria-posinset')).toBe('3');
    await tree.focus();
    await page.keyboard.press('g');
    expect(await tree.getAttribute('aria-activedescendant')).toBe(await page.locator('.row.cursor').getAttribute('id'));
    await close();
  });

  test('nothing moves for who wants less of it', async () => {
    const html = await exportedPage(importerTree());
    const opened = await openPage(browser, importerTree(), { html, reducedMotion: 'reduce' });
    const moving = await opened.page.evaluate(() => document.getAnimations().length);
    expect(moving).toBe(0);
    await opened.close();
  });
});
