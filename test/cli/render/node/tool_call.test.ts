import { expect, test } from 'vitest';
import {
  type EndedCall,
  formatSeconds,
  renderFoldedCall,
  renderFoldedThinking,
  renderOpenCall,
  renderRunningCall,
  renderWholeCall,
} from '../../../../cli/render/node/tool_call.js';
import { lookAt } from '../../../support/look.js';

const ls: EndedCall = {
  tool: 'bash',
  input: { command: 'ls src' },
  output: 'a\nb\nc\n',
  failed: false,
  durationMs: 210,
  remark: null,
};

test('a call that has ended is one row', () => {
  const look = lookAt(80);
  expect(renderFoldedCall(ls, look)).toBe('> bash(ls src) -- 3 lines, 0.2 s');
  expect(renderFoldedCall({ ...ls, output: '', failed: true, remark: 'exit 1', durationMs: null }, look)).toBe(
    '> bash(ls src) -- exit 1, no output',
  );
  expect(renderFoldedCall({ ...ls, input: { command: 'cat <<E\n数据\x1b[2J\nE' }, durationMs: 61_000 }, look)).toBe(
    '> bash(cat <<E 数据 E) -- 3 lines, 1 min 1 s',
  );
});

test.each([
  [36, '> bash(echo 数据 数…) -- 1 line, 1 s'],
  [30, '> bash(echo…) -- 1 line, 1 s'],
  [20, '> bash(ech…) -- 1 l…'],
])('in %i columns the argument is shortened first', (columns, row) => {
  const call = { ...ls, input: { command: 'echo 数据 数据 数据' }, output: 'x', durationMs: 1_000 };
  expect(renderFoldedCall(call, lookAt(columns + 1))).toBe(row);
});

test('unfolded it shows what it gave, long output as its two ends', () => {
  expect(renderOpenCall(ls, lookAt(80))).toEqual(['> bash(ls src) -- 3 lines, 0.2 s', '  a', '  b', '  c']);
  const long = Array.from({ length: 100 }, (_, line) => `line ${line + 1}`).join('\n');
  const open = renderOpenCall({ ...ls, output: long }, lookAt(80));
  expect([open[1], open[24], open[25], open[26], open.at(-1)]).toEqual([
    ...['  line 1', '  line 24', '  … 64 lines left out', '  line 89', '  line 100'],
  ]);
});

test('unfolded an edit shows its change and a written file its first lines, unless they failed', () => {
  const edit = { ...ls, tool: 'edit', input: { path: 'a.ts', old_text: 'x', new_text: 'y' }, output: 'changed' };
  expect(renderOpenCall(edit, lookAt(80))).toEqual(['> edit(a.ts) -- 1 line, 0.2 s', '  - x', '  + y']);
  expect(renderOpenCall({ ...edit, failed: true, output: 'found 2 times' }, lookAt(80))).toEqual([
    ...['> edit(a.ts) -- failed, 1 line, 0.2 s', '  found 2 times'],
  ]);
  const write = { ...ls, tool: 'write', input: { path: 'a.ts', content: 'let a;\n' }, output: 'written' };
  expect(renderOpenCall(write, lookAt(80))).toEqual(['> write(a.ts) -- 1 line, 0.2 s', '  + let a;']);
});

test('all of a call holds all that it did', () => {
  const long = Array.from({ length: 100 }, (_, line) => `line ${line}`);
  const call = { ...ls, size: null, failed: false, output: 'done' };
  const edit = { ...call, tool: 'edit', input: { path: 'a.ts', old_text: '', new_text: long.join('\n') } };
  expect(renderWholeCall(edit, lookAt(80)).slice(1)).toEqual(long.map((line) => `  + ${line}`));
  const write = { ...call, tool: 'write', input: { path: 'a.ts', content: long.join('\n') } };
  expect(renderWholeCall(write, lookAt(80)).slice(1)).toEqual(long.map((line) => `  + ${line}`));
});

test('a running call shows its time and its last rows', () => {
  const call = {
    tool: 'bash',
    input: { command: 'npm test' },
    printed: 'one\ntwo\nthree \x1b[31mred\n',
    elapsedMs: 12_340,
  };
  expect(renderRunningCall(call, 2, lookAt(80))).toEqual(['> bash(npm test) 12 s', '  two', '  three red']);
  expect(renderRunningCall({ ...call, printed: 'x'.repeat(100) }, 2, lookAt(20))[1]).toBe(`  ${'x'.repeat(16)}…`);
  expect(renderRunningCall({ ...call, printed: '' }, 2, lookAt(80))).toEqual(['> bash(npm test) 12 s']);
});

test('thinking is one row, and times are short', () => {
  expect(renderFoldedThinking('first\nsecond', lookAt(80))).toBe('> thinking -- 2 lines');
  expect([40, 999, 2_000, 9_960, 59_400, 59_900, 3_600_000].map(formatSeconds)).toEqual([
    ...['0.0 s', '1.0 s', '2 s', '10.0 s', '59 s', '1 min 0 s', '60 min 0 s'],
  ]);
});
