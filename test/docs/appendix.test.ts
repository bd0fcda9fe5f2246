import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const appendix = readFileSync(join(root, 'docs/guide/appendix.md'), 'utf8');

interface Row {
  line: string;
  file: string;
  title: string;
}

const rows = [...appendix.matchAll(/^\| ([CD]\d) \|.*\| `(test\/[^`]+)` (.+) \|$/gm)].map(
  ([, line = '', file = '', title = '']): Row => ({ line, file, title }),
);

test('the appendix names a test for every promise of agents', () => {
  const promised = ['C1', 'C2', 'C3', 'C4', 'C5', 'C6', 'C7', 'D1', 'D2', 'D3', 'D4', 'D5'];
  expect([...new Set(rows.map(({ line }) => line))]).toEqual(promised);
  expect(appendix.match(/^\| [CD]\d /gm)).toHaveLength(rows.length);
});

test('every test that the appendix names exists by that title', () => {
  const missing = rows.filter(({ file, title }) => !existsSync(join(root, file)) || !hasTest(file, title));
  expect(missing).toEqual([]);
});

/** The title of a test, whole or behind the name of what it is played over. */
function hasTest(file: string, title: string): boolean {
  return readFileSync(join(root, file), 'utf8')
    .split('\n')
    .some((text) => /\btest\b|^\s*\)\('/.test(text) && (text.includes(`'${title}'`) || text.includes(` ${title}\``)));
}
