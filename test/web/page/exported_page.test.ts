import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FileData } from '../../../cli/web/page/source/file_data.js';
import { CHROMIUM, openBrowser } from '../../support/web/browser.js';
import { type OpenedPage, type OpenOptions, openPage } from '../../support/web/opened_page.js';
import { chainTree, importerTree, largeTree } from '../../support/web/page_trees.js';

/** The exported page in a real browser; left out, with a word, where none is installed. */
describe.skipIf(CHROMIUM === null)('an exported page in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser.close();
  });

  async function withPage(
    use: (opened: OpenedPage) => Promise<void>,
    data: FileData = importerTree(),
    options: OpenOptions = {},
  ) {
    const opened = await openPage(browser, data, options);
    try {
      await use(opened);
      expect(opened.troubles).toEqual([]);
    } finally {
      await opened.close();
    }
  }

  const rows = (page: Page): Promise<string[]> => page.locator('.row .what').allInnerTexts();
  const press = async (page: Page, ...keys: string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const focused = (page: Page): Promise<string> => page.locator('.row.cursor .what').innerText();

  test('shows the tree, what was said, marks, costs and where the person stood', async () => {
    await withPage(async ({ page }) => {
      expect(await page.title()).toBe('faster import');
      expect((await rows(page)).slice(0, 4)).toEqual([
        'The importer takes 41 s for the sample with a million rows. Where does the time go?',
        'What would you change first?',
        'Try worker threads first, one per part of the file.',
        'What would it take in Rust?',
      ]);
      expect(await page.locator('.row[aria-current]').innerText()).toContain('you are here');
      expect(await page.locator('.message h3').innerText()).toBe('Import a million rows in 8.5 s instead of 41 s');
      expect(await page.locator('.row .tag').allInnerTexts()).toEqual(['◆ three ways', '◆ best so far']);
      expect(await page.locator('.top .stat').allInnerTexts()).toEqual(['27 nodes · 5 branches', '$0.54']);
      expect(await page.locator('.reading .here-line').isVisible()).toBe(true);
    });
  });

  test('opening and folding all leaves the cursor at its node, or at the row that hides it', async () => {
    await withPage(async ({ page }) => {
      await page.locator('.outline').focus();
      const at = (): Promise<string | null> => page.locator('.row.cursor').getAttribute('id');
      const before = await at();
      await press(page, '*');
      expect(await at()).toBe(before);
      await press(page, '-');
      expect(await rows(page)).toHaveLength(1);
      expect(await at()).not.toBeNull();
    }, largeTree(5_000));
  });

  test('is walked by keys alone: rows, folds, forks, branches', async () => {
    await withPage(async ({ page }) => {
      await page.locator('.outline').focus();
      await press(page, 'g');
      expect(await focused(page)).toMatch(/^The importer/);
      await press(page, 'j', 'j');
      expect(await focused(page)).toMatch(/^Try worker threads/);
      await press(page, 'Enter');
      await page.getByText('With 4 workers').waitFor();
      await press(page, ']');
      await page.getByText('About a week').waitFor();
      await press(page, '[', '[');
      await page.locator('.reading').getByText('1 line').first().waitFor();
      await press(page, '-');
      expect(await rows(page)).toHaveLength(1);
      await press(page, 'l', '*');
      expect(await rows(page)).toHaveLength(11);
      await press(page, 'G', 'k', 'k');
      expect(await focused(page)).toBe('Then compile the schema once.');
      await press(page, 'h');
      expect(await focused(page)).toBe('Could trusted files skip the validation?');
      await press(page, 'h');
      expect(await rows(page)).toHaveLength(10);
      await press(page, 'h');
      expect(await focused(page)).toBe('Rewrite the parser as a state machine over bytes.');
      await press(page, 'Home');
      expect(await focused(page)).toMatch(/^The importer/);
    });
  });

  test('finds words in all branches', async () => {
    await withPage(async ({ page }) => {
      await press(page, '/');
      await page.keyboard.type('javascript anyway');
      await page.locator('.found li').first().waitFor();
      expect(await page.locator('.found mark').allInnerTexts()).toEqual(['JavaScript', 'anyway']);
      expect(await page.locator('.row.dim').count()).toBe(10);
      await page.locator('.found li button').click();
      await page.locator('.reading').getByText('decoded in JavaScript').waitFor();
      await press(page, 'Escape');
      expect(await page.locator('.found').count()).toBe(0);
    });
  });

  test('compares two branches, from keys and from a fork', async () => {
    await withPage(async ({ page }) => {
      await page.locator('.outline').focus();
      await press(page, 'g', 'j', 'j', 'c', 'j', 'c');
      await page.locator('.side-column').first().waitFor();
      expect(await page.locator('.shared b').innerText()).toMatch(/^Three ways/);
      expect(await page.locator('.side-column dl').allInnerTexts()).toEqual([
        expect.stringMatching(/turns\s+1\s+calls\s+1\s+failed\s+0/),
        expect.stringMatching(/turns\s+2\s+calls\s+0\s+failed\s+0/),
      ]);
      await page.locator('.side-column').getByText('src/split.ts').first().waitFor();
      await page.getByText('swap').click();
      await page.locator('.side-column').first().getByText('About a week').waitFor();
      await page.getByText('close').click();
      await page.locator('.fork').getByText('compare two').first().click();
      await page.locator('.side-column').nth(1).waitFor();
    });
  });

  test('draws the map and the costs, whose parts lead to what was said', async () => {
    await withPage(async ({ page }) => {
      await press(page, '3');
      const map = page.locator('canvas.map.large');
      await map.waitFor();
      expect(await map.getAttribute('aria-label')).toContain('27 nodes, 5 branches');
      await press(page, '4');
      await page.locator('.flame').first().waitFor();
      expect(await page.locator('.cost-view header').innerText()).toMatch(/whole tree\s+\$0.54/);
      await page.locator('.flame', { hasText: 'Could trusted files' }).click();
      await page.getByText('Validation takes 0.4 s').waitFor();
    });
  });

  test('shows what calls did: a difference, a written file, an output', async () => {
    await withPage(async ({ page }) => {
      const edit = page.locator('.call', { hasText: 'src/parse.ts' });
      await edit.waitFor();
      expect(await edit.locator('tr.added').count()).toBe(6);
      expect(await edit.locator('tr.removed').count()).toBe(4);
      expect(await edit.locator('.delta').innerText()).toBe('+6 −4');
      // Its lines are those of the file.
      expect(await edit.locator('td.number').first().innerText()).toBe('41');
      const failed = page.locator('.call.failed');
      expect(await failed.innerText()).toContain('exit code 1');
      expect(await failed.innerText()).toContain('14 passed, 2 failed');
      const profiled = page.locator('.call', { hasText: 'cpu-prof' });
      expect(await profiled.locator('pre').count()).toBe(0);
      await profiled.locator('summary').click();
      expect(await profiled.locator('pre').innerText()).toBe('parse 25.6 s\n');
      await page.locator('.row', { hasText: 'Try worker threads' }).click();
      const written = page.locator('.call', { hasText: 'src/split.ts' });
      await written.waitFor();
      expect(await written.locator('.facts').innerText()).toBe('2 lines');
    });
  });

  test('shows one part at a time on a phone, without scrolling sideways', async () => {
    await withPage(
      async ({ page }) => {
        expect(await page.locator('.outline').isVisible()).toBe(false);
        await page.locator('.tabs').getByText('Tree').click();
        await page.locator('.row', { hasText: 'What would it take in Rust?' }).click();
        await page.getByText('About a week').waitFor();
        await page.locator('.tabs').getByText('Search').click();
        await page.locator('input:focus').waitFor();
        await page.keyboard.type('rust');
        await page.locator('.found li').first().waitFor();
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
      },
      importerTree(),
      { viewport: { width: 390, height: 844 }, hasTouch: true },
    );
  });

  test('folds what is not read of a large tree, and has a map beside it', async () => {
    await withPage(async ({ page }) => {
      await page.getByText('9999').last().waitFor();
      expect(await page.locator('.strip canvas').isVisible()).toBe(true);
      await page.locator('.outline').focus();
      await press(page, 'g', 'j', 'j');
      const folded = page.locator('.row[aria-expanded="false"]').first();
      expect(await folded.locator('.fold').innerText()).toMatch(/nodes/);
      const before = Number(await folded.getAttribute('aria-setsize'));
      await folded.locator('.rails').click();
      expect(Number(await page.locator('.row').first().getAttribute('aria-setsize'))).toBeGreaterThan(before);
    }, largeTree(10_000));
  });

  test('opens a chain of 100,000', async () => {
    await withPage(async ({ page }) => {
      await page.getByText('answer 99999').waitFor();
      expect(await page.locator('.outline .row').count()).toBeLessThan(60);
      await page.locator('.outline').focus();
      await press(page, 'g');
      await page.locator('.row .what', { hasText: /^question 1$/ }).waitFor();
      await press(page, '3');
      await page.locator('canvas.map.large').waitFor();
    }, chainTree(100_000));
  });

  test('says everything on paper', async () => {
    await withPage(async ({ page }) => {
      await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
      expect(await page.locator('.calls .call pre').count()).toBeGreaterThan(1);
      expect(await page.locator('.call:not([open])').count()).toBe(0);
      await page.evaluate(() => dispatchEvent(new Event('afterprint')));
      expect((await page.pdf()).byteLength).toBeGreaterThan(10_000);
    });
  });

  test('prints a long branch whole, though little of it is on the screen', async () => {
    await withPage(async ({ page }) => {
      const printed = await page.evaluate(async () => {
        dispatchEvent(new Event('beforeprint'));
        // What is done before the browser prints: no frame and no timer comes in between.
        for (let turn = 0; turn < 200; turn += 1) await null;
        return document.querySelectorAll('.message').length;
      });
      expect(printed).toBe(1_199);
    }, chainTree(1_200));
  });

  test('is read without script: every branch is there, folded', async () => {
    await withPage(
      async ({ page }) => {
        const text = await page.locator('main.static').textContent();
        for (const words of [
          'Most of it is',
          'With 4 workers',
          'About a week',
          'Validation takes 0.4 s',
          'you are here',
          'splitLine',
        ]) {
          expect(text).toContain(words);
        }
        const branch = page.locator('details.branch', { has: page.locator('summary', { hasText: 'in Rust?' }) });
        expect(await branch.locator('p', { hasText: 'About a week' }).isVisible()).toBe(false);
        await branch.locator('> summary').click();
        expect(await branch.locator('p', { hasText: 'About a week' }).isVisible()).toBe(true);
        expect(await page.locator('#app').isVisible()).toBe(false);
      },
      importerTree(),
      { javaScriptEnabled: false },
    );
  });

  test('says that a tree of no nodes is empty', async () => {
    const data = importerTree();
    await withPage(
      async ({ page }) => {
        expect(await page.locator('.row').count()).toBe(0);
        await press(page, 'j', 'Enter', '2', '3', '4', '1', 'n', ']');
      },
      { ...data, nodes: [], marks: [], costs: [], here: null },
    );
  });
});
