import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { openBrowser } from '../../support/web/browser.js';
import type { Parents } from './large_trees.js';
import { cpuMs, frameMs, heapMb } from './measures.js';

const SIZE = { width: 1_200, height: 800 };

async function inBlankPage<T>(use: (page: Page) => Promise<T>): Promise<T> {
  const browser = await openBrowser();
  try {
    return await use(await browser.newPage({ viewport: SIZE }));
  } finally {
    await browser.close();
  }
}

/** The frame that 95 % of a small plain page's do not exceed: what the machine itself takes at the moment. */
export function plainFrameMs(): Promise<number> {
  return inBlankPage(async (page) => {
    const rows = Array.from({ length: 1_000 }, (_, row) => `<p>row ${row}</p>`).join('');
    await page.setContent(`<div id="box" style="height:800px;overflow:auto">${rows}</div>`);
    return frameMs(page, '#box');
  });
}

/** The same tree as SVG, each node a circle, a line and its words. */
export function svgTree(
  parentOf: Parents,
  count: number,
): Promise<{ drawnMs: number; frameMs: number; heapMb: number }> {
  const parents = Array.from({ length: count }, (_, number) => (number === 0 ? 0 : parentOf(number)));
  return inBlankPage(async (page) => {
    await page.setContent('<div id="box" style="height:800px;overflow:auto"></div>');
    const drawnMs = await page.evaluate(async (above) => {
      const startedAt = performance.now();
      const make = (name: string, attributes: Record<string, string | number>): SVGElement => {
        const element = document.createElementNS('http://www.w3.org/2000/svg', name);
        for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
        return element;
      };
      const svg = make('svg', { width: 1_200, height: above.length * 30 });
      const indent = new Int32Array(above.length);
      for (const [number, parent] of above.entries()) {
        indent[number] = (indent[parent] ?? 0) + (number - parent > 1 ? 1 : 0);
        const [x, y] = [10 + (indent[number] ?? 0) * 12, 15 + number * 30];
        const words = make('text', { x: x + 10, y: y + 4 });
        words.textContent = `Message ${number}: the importer takes 41 s for the sample`;
        const [px, py] = [10 + (indent[parent] ?? 0) * 12, 15 + parent * 30];
        svg.append(
          make('path', { d: `M${px} ${py}V${y}H${x}`, stroke: '#888', fill: 'none' }),
          make('circle', { cx: x, cy: y, r: 4 }),
          words,
        );
      }
      document.getElementById('box')?.append(svg);
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
      return performance.now() - startedAt;
    }, parents);
    return { drawnMs, frameMs: await frameMs(page, '#box'), heapMb: await heapMb(page) };
  });
}

/** The text so far as HTML, again for each piece, for as long as they come: its CPU time, and the pieces that it manages. */
export function innerHtml(pieces: readonly string[], everyMs: number): Promise<{ cpuMs: number; managed: number }> {
  const marked = readFileSync(join(dirname(createRequire(import.meta.url).resolve('marked')), 'marked.umd.js'), 'utf8');
  return inBlankPage(async (page) => {
    await page.setContent('<div id="box" style="height:800px;overflow:auto"></div>');
    await page.addScriptTag({ content: marked });
    let managed = 0;
    const taken = await cpuMs(page, async () => {
      managed = await page.evaluate(
        async ({ list, every }) => {
          const parse: (text: string) => string = Reflect.get(Reflect.get(globalThis, 'marked'), 'parse');
          const box = document.querySelector('#box') ?? document.body;
          const startedAt = performance.now();
          let text = '';
          for (const [at, piece] of list.entries()) {
            const waitMs = Math.max(0, startedAt + at * every - performance.now());
            await new Promise((resolve) => setTimeout(resolve, waitMs));
            if (performance.now() - startedAt > list.length * every) return at;
            text += piece;
            box.innerHTML = parse(text);
            box.scrollTop = box.scrollHeight;
          }
          return list.length;
        },
        { list: pieces, every: everyMs },
      );
    });
    return { cpuMs: taken, managed };
  });
}
