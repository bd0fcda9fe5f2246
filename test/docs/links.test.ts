import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const documents = [
  'README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

test('every file that a document links to or names exists', () => {
  const missing = documents.flatMap((document) => {
    const text = readFileSync(join(root, document), 'utf8');
    const linked = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path = '']) =>
      join(dirname(document), path),
    );
    const named = [...text.matchAll(/`((?:cli|hub|loom|test|docs|\.dev)\/[\w./-]+)`/g)].map(([, path = '']) => path);
    return [...linked, ...named].filter((path) => !existsSync(join(root, path))).map((path) => `${document} → ${path}`);
  });
  expect(missing).toEqual([]);
});
