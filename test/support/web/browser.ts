import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Debian's Chromium; null where it is not installed: what needs it is then left out. */
export const CHROMIUM: string | null = PLACES.find((path) => existsSync(path)) ?? null;

/** Starts a browser without a window. The sandbox of its own is not to be had by root. */
export async function openBrowser(): Promise<Browser> {
  if (CHROMIUM === null) throw new Error('Chromium is not installed');
  return chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
}
