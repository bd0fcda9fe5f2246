import { openBrowser } from '../support/web/browser.js';
import { openPage } from '../support/web/opened_page.js';
import { importerTree, largeTree } from '../support/web/page_trees.js';

const VIEW = { viewport: { width: 1_000, height: 560 }, timezoneId: 'UTC', locale: 'en-GB' };

/** A view of the page in a browser, as pixels, which differ with the fonts of a machine, and as words. */
export interface PagePicture {
  png: Buffer;
  words: string[];
}

export async function pagePicture(view: 'read' | 'map'): Promise<PagePicture> {
  const browser = await openBrowser();
  const data = view === 'read' ? importerTree() : largeTree(3_000);
  const { page, close } = await openPage(browser, data, VIEW);
  try {
    await page.keyboard.press(view === 'read' ? '1' : '3');
    await page.locator('.row .what').first().waitFor();
    const text = await page.locator('body').innerText();
    return { png: await page.screenshot(), words: wordsOf(text) };
  } finally {
    await close();
    await browser.close();
  }
}

/** The lines of a page, without how long ago something was. */
function wordsOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.replaceAll(/\b(just now|\d+ (min|h|d|days?|weeks?|months?|years?)( ago)?)\b/g, '').trim())
    .filter((line) => line !== '');
}
