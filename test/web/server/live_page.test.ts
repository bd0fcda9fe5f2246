import { expect, test } from 'vitest';
import { killHub } from '../../support/hub.js';
import { bindReadOnly, canMount, unmount } from '../../support/mounts.js';
import { CHROMIUM } from '../../support/web/browser.js';
import { type ServedPage, withServedPage } from './served_page.js';

const inBrowser = test.runIf(CHROMIUM !== null);

async function withTree(served: ServedPage): Promise<string> {
  await served.print('ask', 'list the files', '--model', 'demo');
  const [tree] = (await served.json('list')) as { id: string }[]; // one line for each tree
  return tree?.id ?? '';
}

inBrowser('the link opens the conversation, leaves the address, and survives reading the page anew', () =>
  withServedPage(async (served) => {
    const tree = await withTree(served);
    const link = await served.serve('@');
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#k=[\w-]{43}&tree=/);
    const page = await served.open(link);
    await page.getByText('I found no files').waitFor();
    expect(page.url()).toBe(`${new URL(link).origin}/#tree=${tree}`);
    await page.reload();
    await page.getByText('I found no files').waitFor();
    expect(served.troubles).toEqual([]);
  }),
);

test.runIf(CHROMIUM !== null && canMount)(
  'a home that can only be read is shown, and said to be so where one writes',
  () =>
    withServedPage(async (served) => {
      await withTree(served);
      await killHub(served.home);
      bindReadOnly(served.home);
      try {
        const [page, other] = [
          await served.open(await served.serve('@')),
          await served.open(await served.serve('@', '--write')),
        ];
        for (const one of [page, other]) await one.getByText('I found no files').waitFor();
        await other.getByRole('textbox', { name: 'Say something' }).fill('more');
        await other.getByRole('button', { name: 'Say', exact: true }).click();
        await other.getByText('can only be read').waitFor();
      } finally {
        unmount(served.home);
      }
    }),
);

inBrowser('without a tree all conversations are listed, and one is chosen', () =>
  withServedPage(async (served) => {
    await withTree(served);
    await served.print('new', 'another one');
    const page = await served.open(await served.serve());
    await page.getByRole('button', { name: /another one/ }).waitFor();
    await page.getByRole('button', { name: /list the files/ }).click();
    await page.getByText('I found no files').waitFor();
    expect(served.troubles).toEqual([]);
  }),
);

inBrowser('a home without conversations says how to begin', () =>
  withServedPage(async (served) => {
    const page = await served.open(await served.serve());
    await page.getByText('There are no conversations yet').waitFor();
  }),
);

inBrowser('a link that is used twice closes the page of the first, and says what that means', () =>
  withServedPage(async (served) => {
    await withTree(served);
    const link = await served.serve('@');
    const first = await served.open(link);
    await first.getByText('I found no files').waitFor();
    const second = await served.open(link);
    await second.getByText('This link was used before').waitFor();
    await first.getByText('was used a second time').waitFor();
    await first.reload();
    await first.getByRole('alert').waitFor();
    expect(await first.getByText('I found no files').count()).toBe(0);
  }),
);

inBrowser('what a terminal says comes to two pages while it comes, once, also after the hub was killed', () =>
  withServedPage(async (served) => {
    await withTree(served);
    const [one, other] = [await served.open(await served.serve('@')), await served.open(await served.serve('@'))];
    for (const page of [one, other]) await page.getByText('I found no files').waitFor();
    await served.print('ask', '@', 'say hello', '--model', 'demo');
    for (const page of [one, other]) await page.getByRole('treeitem', { name: /say hello/ }).waitFor();
    await killHub(served.home);
    await served.print('ask', '@', 'say it again', '--model', 'demo');
    for (const page of [one, other]) {
      await page.getByRole('treeitem', { name: /say it again/ }).waitFor();
      expect(await page.getByRole('treeitem', { name: /say hello/ }).count()).toBe(1);
      expect(await page.getByRole('treeitem', { name: /say it again/ }).count()).toBe(1);
    }
    expect(served.troubles).toEqual([]);
  }),
);

inBrowser('with --write a page says something, and a terminal and another page see it', () =>
  withServedPage(async (served) => {
    const tree = await withTree(served);
    const writer = await served.open(await served.serve('@', '--write'));
    const reader = await served.open(await served.serve('@'));
    await reader.getByText('I found no files').waitFor();
    expect(await reader.getByRole('textbox', { name: 'Say something' }).count()).toBe(0);
    const box = writer.getByRole('textbox', { name: 'Say something' });
    await box.fill('!touch made');
    await box.press('Enter');
    await writer.getByText('commands are run in the terminal').waitFor();
    await box.fill('said on a page');
    await box.press('Enter');
    for (const page of [writer, reader]) await page.getByRole('treeitem', { name: /said on a page/ }).waitFor();
    await expect.poll(() => served.print('show', tree)).toContain('said on a page');
    await expect.poll(() => served.print('show', '@')).toContain('I cannot answer that');
    expect(served.troubles).toEqual([]);
  }),
);

inBrowser('with --write a node is named, and a branch is archived', () =>
  withServedPage(async (served) => {
    await withTree(served);
    await served.print('ask', '@', 'a second message', '--model', 'demo');
    const page = await served.open(await served.serve('@', '--write'));
    await page.getByRole('treeitem', { name: /a second message/ }).click();
    await page.getByRole('textbox', { name: 'Name of the mark' }).fill('here it is');
    await page.getByRole('button', { name: /mark the chosen/ }).click();
    await expect.poll(() => served.print('mark', '@')).toContain('here it is');
    await page.getByRole('button', { name: /archive the branch/ }).click();
    await expect.poll(() => served.print('show', '@', '--at', 'root')).not.toContain('a second message');
    await expect.poll(() => page.getByRole('treeitem', { name: /a second message/ }).count()).toBe(0);
  }),
);
