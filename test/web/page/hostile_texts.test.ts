import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, openBrowser } from '../../support/web/browser.js';
import { HOSTILE_TEXTS } from '../../support/web/hostile_texts.js';
import { openPage } from '../../support/web/opened_page.js';
import { hostileTree } from '../../support/web/page_trees.js';

test('there are many texts', () => {
  expect(new Set(HOSTILE_TEXTS).size).toBeGreaterThanOrEqual(78);
});

describe.skipIf(CHROMIUM === null)('hostile texts in every field of a page in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser.close();
  });

  const broken = 'Reflect.get(globalThis, "broken") === 1 || frames.length > 0';

  test('nothing runs, nothing is loaded and no policy is violated, in any view', async () => {
    const opened = await openPage(browser, hostileTree(HOSTILE_TEXTS));
    const { page } = opened;
    for (const key of ['1', '3', '4']) {
      await page.keyboard.press(key);
      expect(await page.evaluate(broken)).toBe(false);
    }
    await page.keyboard.press('1');
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    await page
      .locator('.message.user')
      .nth(HOSTILE_TEXTS.length - 1)
      .waitFor();
    expect(await page.locator('.message.user').count()).toBe(HOSTILE_TEXTS.length);
    expect(await page.locator('.call').count()).toBe(HOSTILE_TEXTS.length * 3);
    // What was said stands there letter by letter; only what HTML cannot hold is replaced.
    expect(await page.locator('.message.user .said').first().textContent()).toBe(HOSTILE_TEXTS[0]);
    const links = await page.locator('a').evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
    expect(links.filter((href) => !/^(https?:\/\/|mailto:)/.test(href))).toEqual([]);
    const allowed =
      'img, iframe, object, embed, video, audio, link, base, form, template, [onload], [onerror], [onclick]';
    expect(await page.locator(`main :is(${allowed})`).count()).toBe(0);
    expect(await page.evaluate(broken)).toBe(false);
    expect(opened.troubles).toEqual([]);
    await opened.close();
  });

  test('nor without script', async () => {
    const opened = await openPage(browser, hostileTree(HOSTILE_TEXTS), { javaScriptEnabled: false });
    expect(await opened.page.locator('main.static .message.user').count()).toBe(HOSTILE_TEXTS.length);
    expect(await opened.page.locator('main.static :is(img, iframe, script, object, embed, link, base)').count()).toBe(
      0,
    );
    expect(opened.troubles).toEqual([]);
    await opened.close();
  });

  test('the same texts run where a page takes them as HTML', async () => {
    const run = HOSTILE_TEXTS.filter((text) => /script>|onerror|onload|onfocus|ontoggle/.test(text));
    let ran = 0;
    for (const text of run) {
      const page = await browser.newPage();
      await page.route('**/*', (route) => route.abort());
      await page.setContent(`<!doctype html><body>${text}`, { waitUntil: 'commit' }).catch(() => undefined);
      if (await page.evaluate('Reflect.get(globalThis, "broken") === 1')) ran += 1;
      await page.close();
    }
    expect(ran).toBeGreaterThan(15);
  });
});
