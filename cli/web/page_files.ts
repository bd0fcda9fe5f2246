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
<link rel="stylesheet" href="/page.css">
<div id="app"></div>
<script type="module" src="/page_hub.js"></script>
`;

/** Reads the built page into memory, once: no request leads to the disk. */
export function readPageFiles(folder: string): PageFiles {
  return new Map([
    ['/', { type: 'text/html; charset=utf-8', bytes: Buffer.from(HTML) }],
    ['/page_hub.js', { type: 'text/javascript; charset=utf-8', bytes: readFileSync(join(folder, 'page_hub.js')) }],
    ['/page.css', { type: 'text/css; charset=utf-8', bytes: readFileSync(join(folder, 'page.css')) }],
  ]);
}
