import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { NodeId, TreeId } from '../../../hub/protocol/node.js';
import { connectTo } from '../../support/hub.js';
import { CHROMIUM } from '../../support/web/browser.js';
import { withServedPage } from './served_page.js';

const BRANCHES = 50;
/** More nodes than a page keeps. */
const HALF = 4_500;
const TEXT = 'What is said takes some room on a page that is left open for a day. '.repeat(20);
/** What one half may leave behind besides the index of its nodes, where all of its texts would be 12 MB. */
const GROWTH_BYTES_MAX = 5_000_000;
const ELEMENTS_MAX = 12_000;

async function sizeOf(page: Page): Promise<{ heap: number; elements: number }> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  await session.send('HeapProfiler.collectGarbage');
  const { metrics } = await session.send('Performance.getMetrics');
  await session.detach();
  const elements = await page.evaluate(() => document.querySelectorAll('*').length);
  return { heap: metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? Number.NaN, elements };
}

test.runIf(CHROMIUM !== null)(
  'a page that is left open stays small, however much happens',
  () =>
    withServedPage(async (served) => {
      await served.print('ask', 'list the files', '--model', 'demo');
      const page = await served.open(await served.serve('@'));
      await page.getByText('I found no files').waitFor();
      const client = await connectTo(served.home);
      const { trees } = await client.call('loom.tree_list', {});
      const tree = TreeId.parse(trees[0]?.id);
      const { leaves } = await client.call('loom.context_list_leaves', { tree });
      const start = NodeId.parse(leaves[0]?.node.id);
      const tips: NodeId[] = Array.from({ length: BRANCHES }, () => start);
      const before = trees[0]?.node_count ?? 0;
      const live = async (nodes: number): Promise<void> => {
        const grow = async (branch: number): Promise<void> => {
          for (let count = 0; count < nodes / BRANCHES; count += 1) {
            const blocks = [{ type: 'text' as const, text: `${count % 2} in ${branch}: ${TEXT}` }];
            const role = count % 2 === 0 ? ('user' as const) : ('assistant' as const);
            const { node } = await client.call('loom.node_create_text', {
              tree,
              parent: tips[branch] ?? start,
              role,
              blocks,
            });
            tips[branch] = node.id;
          }
        };
        await Promise.all(tips.map((_, branch) => grow(branch)));
      };
      const shows = (nodes: number): Promise<void> =>
        page.getByText(`${(before + nodes).toLocaleString('en')} nodes`).waitFor({ timeout: 60_000 });

      await live(HALF);
      await shows(HALF);
      const morning = await sizeOf(page);
      await live(HALF);
      await shows(2 * HALF);
      const evening = await sizeOf(page);
      await client.close();
      expect(evening.heap - morning.heap).toBeLessThan(GROWTH_BYTES_MAX);
      expect(evening.elements).toBeLessThan(ELEMENTS_MAX);
      expect(served.troubles).toEqual([]);
    }),
  180_000,
);
