import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { WatchEvent } from '../../hub/protocol/feed_events.js';

test('the guide of scripting names each kind of event that a watch tells, with its fields', () => {
  const guide = readFileSync(new URL('../../docs/guide/scripting.md', import.meta.url), 'utf8');
  const rows = guide.split('\n').filter((line) => /^\| `\w+`/.test(line));
  const told = rows.flatMap((row) => {
    const [, kinds = '', fields = ''] = row.split('|');
    const named = (text: string): string[] => [...text.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
    return named(kinds).map((kind) => [kind, named(fields)] as const);
  });
  expect(told.map(([kind]) => kind)).toEqual(WatchEvent.options.map(({ shape }) => shape.kind.value));
  for (const { shape } of WatchEvent.options) {
    const fields = told.find(([kind]) => kind === shape.kind.value)?.[1] ?? [];
    const has = Object.keys(shape).filter((field) => field !== 'kind' && field !== 'seq');
    expect(fields).toEqual(expect.arrayContaining(has));
  }
});
