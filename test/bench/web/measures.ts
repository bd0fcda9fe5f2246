import type { CDPSession, Page } from 'playwright-core';

export const FRAMES = 120;
const SCROLL_PIXELS = 900;

/** Scrolls an element by a screen for each frame, and returns the time of the frame that 95 % do not exceed. */
export async function frameMs(page: Page, selector: string): Promise<number> {
  const frames = await page.locator(selector).evaluate(
    (element, { count, by }) =>
      new Promise<number[]>((resolve) => {
        const taken: number[] = [];
        let before = performance.now();
        const step = (): void => {
          const now = performance.now();
          taken.push(now - before);
          before = now;
          element.scrollTop += by;
          if (taken.length > count) resolve(taken.slice(1));
          else requestAnimationFrame(step);
        };
        requestAnimationFrame(step);
      }),
    { count: FRAMES, by: SCROLL_PIXELS },
  );
  return frames.sort((a, b) => a - b)[Math.floor(frames.length * 0.95)] ?? Number.NaN;
}

/** What JavaScript holds after its garbage is collected, in MB. */
export async function heapMb(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  await session.send('HeapProfiler.collectGarbage');
  const heap = await metric(session, 'JSHeapUsedSize');
  await session.detach();
  return heap / 1e6;
}

/** The CPU time in ms that the process of a page takes while something is done: others on the machine do not count. */
export async function cpuMs(page: Page, work: () => Promise<void>): Promise<number> {
  const browser = page.context().browser();
  if (browser === null) throw new Error('the page has no browser');
  const session = await browser.newBrowserCDPSession();
  const taken = async (): Promise<number> => {
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    const pages = processInfo.filter(({ type }) => type === 'renderer').map(({ cpuTime }) => cpuTime * 1_000);
    return pages.reduce((sum, one) => sum + one, 0);
  };
  const before = await taken();
  await work();
  const after = await taken();
  await session.detach();
  return after - before;
}

async function metric(session: CDPSession, wanted: string): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN;
}
