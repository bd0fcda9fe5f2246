import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

const BYTES_MAX = 80 * 1_024;

test.each(['page_file.js', 'page_hub.js'])('the page is small, with its style: %s', (script) => {
  const files = [script, 'page.css'].map((name) =>
    readFileSync(new URL(`../../../dist/page/${name}`, import.meta.url)),
  );
  expect(files.reduce((sum, file) => sum + gzipSync(file, { level: 9 }).byteLength, 0)).toBeLessThanOrEqual(BYTES_MAX);
});
