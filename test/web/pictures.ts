import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { openBrowser } from '../support/web/browser.js';
import { openPage } from '../support/web/opened_page.js';
import { importerTree, largeTree } from '../support/web/page_trees.js';

// Writes the pictures of the guide: node .dev/run.mjs test/web/pictures.ts
const FOLDER = fileURLToPath(new URL('../../docs/pictures/', import.meta.url));
const SIZE = { width: 1_000, height: 560 };

await mkdir(FOLDER, { recursive: true });
const browser = await openBrowser();
for (const { name, data, key } of [
  { name: 'page-read', data: importerTree(), key: '1' },
  { name: 'page-map', data: largeTree(3_000), key: '3' },
]) {
  const { page, close } = await openPage(browser, data, { viewport: SIZE });
  await page.keyboard.press(key);
  await page.locator('.row .what').first().waitFor();
  await page.screenshot({ path: `${FOLDER}${name}.png` });
  await close();
}
await browser.close();
