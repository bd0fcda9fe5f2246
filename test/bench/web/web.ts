import type { Page } from 'playwright-core';
import { connectTo } from '../../support/hub.js';
import { CHROMIUM } from '../../support/web/browser.js';
import { type ServedPage, withServedPage } from '../../web/server/served_page.js';
import { median, type Row } from '../row.js';
import { bushy, chain, importTree, type Parents } from './large_trees.js';
import { cpuMs, FRAMES, frameMs, heapMb } from './measures.js';
import { streamRows } from './streams.js';
import { plainFrameMs, svgTree } from './ways_not_taken.js';

const NODES = 100_000;
const ROUNDS = 3;

/** Large trees on the page in Chromium, and as SVG in the same run. */
export function webTreeRows(): Promise<Row[]> {
  return inChromium(async (served) => [...(await treeRows(served, chain)), ...(await treeRows(served, bushy))]);
}

/** An answer that streams, on the page and as HTML in the same run. */
export function webStreamRows(): Promise<Row[]> {
  return inChromium(streamRows);
}

async function inChromium(measure: (served: ServedPage) => Promise<Row[]>): Promise<Row[]> {
  if (CHROMIUM === null) {
    console.log('no Chromium is installed: the page is not measured');
    return [];
  }
  const rows: Row[] = [];
  await withServedPage(async (served) => {
    rows.push(...(await measure(served)));
  });
  return rows;
}

async function treeRows(served: ServedPage, parentOf: Parents): Promise<Row[]> {
  await served.print('list');
  const client = await connectTo(served.home);
  const tree = await importTree(client, NODES, parentOf);
  await client.close();
  const drawn: number[] = [];
  const drawing: number[] = [];
  const frames: number[] = [];
  const heaps: number[] = [];
  const plain: number[] = [];
  const spent: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const page = await served.open('about:blank');
    const link = await served.serve(tree);
    drawing.push(
      await cpuMs(page, async () => {
        await page.goto(link);
        drawn.push(await drawnMs(page));
      }),
    );
    await page.locator('.outline').focus();
    await page.keyboard.press('*');
    plain.push(await plainFrameMs());
    spent.push(
      await cpuMs(page, async () => {
        frames.push(await frameMs(page, '.outline'), await frameMs(page, '.reading'));
      }),
    );
    heaps.push(await heapMb(page));
    await page.context().close();
  }
  const other = await svgTree(parentOf, NODES);
  const of = `${NODES} nodes, ${parentOf.name}`;
  const cpu = `${(median(spent) / (2 * FRAMES)).toFixed(1)} ms of CPU a frame, a plain page ${median(plain).toFixed(0)} ms`;
  return [
    row(`page drawn, ${of}`, {
      value: median(drawn),
      unit: 'ms',
      most: 1_000,
      other: `${other.drawnMs.toFixed(0)} ms; ${median(drawing).toFixed(0)} ms of CPU`,
    }),
    row(`p95 frame while scrolling, ${of}`, {
      ...{ value: median(frames), unit: 'ms', most: 50 },
      other: `${other.frameMs.toFixed(0)} ms; ${cpu}`,
    }),
    row(`JS heap, ${of}`, {
      value: Math.max(...heaps),
      unit: 'MB',
      most: null,
      other: `${other.heapMb.toFixed(0)} MB`,
    }),
  ];
}

/** From the beginning of the visit until the tree and what was said are there. */
async function drawnMs(page: Page): Promise<number> {
  const drawn = await page.waitForFunction(() => {
    const isThere = document.querySelector('.row .what')?.textContent !== '' && document.querySelector('.message');
    return isThere ? performance.now() : null;
  });
  return Number(await drawn.jsonValue());
}

interface Measured extends Pick<Row, 'value' | 'unit'> {
  most: number | null;
  other: string;
}

function row(what: string, { value, unit, most, other }: Measured): Row {
  return { what, value, unit, budget: most === null ? null : { most }, from: `every node as SVG ${other}` };
}
