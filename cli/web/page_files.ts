import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface PageFile {
  type: string;
  bytes: Buffer;
}

/** The files of the page by their addresses. */
export type PageFiles = ReadonlyMap<string, PageFile>;

/** There is no word of a conversation in it: all of that comes through the socket. */
const HTML = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>cognition</title>
<link rel="icon" href="/icon.svg">
<link rel="stylesheet" href="/page.css">
<div id="app"></div>
<script type="module" src="/page_hub.js"></script>
`;

/** The tree of the page's head, for its tab. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 22 22"><g fill="#3b82c4"><circle cx="14" cy="4.5" r="2.6"/><circle
cx="16.5" cy="10.5" r="2.6"/><circle cx="6" cy="19" r="2.6"/></g><path d="M6 3v16M6 11c0-3 8-2 8-6M6 16c0-3 10-2 10-5" fill="none" stroke="#3b82c4" stroke-width="2"/></svg>`;

/** Reads the built page into memory, once: no request leads to the disk. */
export function readPageFiles(folder: string): PageFiles {
  const icon = { type: 'image/svg+xml', bytes: Buffer.from(ICON) };
  return new Map([
    ['/icon.svg', icon],
    // Some browsers ask for it whatever the page says.
    ['/favicon.ico', icon],
    ['/', { type: 'text/html; charset=utf-8', bytes: Buffer.from(HTML) }],
    ['/page_hub.js', { type: 'text/javascript; charset=utf-8', bytes: readFileSync(join(folder, 'page_hub.js')) }],
    ['/page.css', { type: 'text/css; charset=utf-8', bytes: readFileSync(join(folder, 'page.css')) }],
  ]);
}
