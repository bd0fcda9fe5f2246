import { expect, test } from 'vitest';
import { type PathEntry, renderPathEntry } from '../../../../cli/render/node/path_entry.js';
import { excerptOf } from '../../../../cli/render/text/cut_middle.js';
import { renderHit } from '../../../../cli/render/tree/search_hits.js';
import type { Node } from '../../../../hub/protocol/node.js';
import { TreeId } from '../../../../hub/protocol/node.js';
import { lookAt, NOW_MS, namedStyle } from '../../../support/look.js';
import { commandNode, textNode } from '../../../support/nodes.js';
import { nodeId } from '../../../support/skeleton.js';

function entry(node: Node, more: Partial<PathEntry> = {}): string {
  return renderPathEntry({ node, sent: true, resolved: null, full: false, ...more }, lookAt(80));
}

test('a node of a path is told with its speaker, age and text', () => {
  expect(entry(textNode(1, 'user', 'first line\nsecond \x1b[31mline'))).toBe(`00000001 User  2 min ago
first line
second line

`);
  expect(entry(commandNode(2, 'ls src/*.py', 'src/main.py'))).toBe(`00000002 [bash] ls src/*.py  2 min ago  exit 0
src/main.py

`);
});

test('what stands before a summary is marked as not sent', () => {
  expect(
    entry(textNode(1, 'user', 'old'), { sent: false }),
  ).toBe(`00000001 User  2 min ago  (not sent: before a summary)
old

`);
});

test('a long text is shown by head and tail, with how much is left out', () => {
  const lines = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`);
  const shown = entry(textNode(1, 'user', lines.join('\n'))).split('\n');
  expect(shown.slice(24, 28)).toEqual(['line 24', '… 64 lines left out; --full shows all', 'line 89', 'line 90']);
  expect(entry(textNode(1, 'user', lines.join('\n')), { full: true })).toContain('line 50\n');
});

test('an endless line is cut inside, without halves of characters', () => {
  const { head, leftOut, tail } = excerptOf('👩'.repeat(10_000));
  expect({ head: head.length, leftOut, tail: tail.length }).toEqual({
    ...{ head: 4_000, leftOut: { lines: 0, characters: 14_500 }, tail: 1_500 },
  });
  expect(head.isWellFormed() && tail.isWellFormed()).toBe(true);
});

const RESOLVED = { text: '', total_bytes: 0, left_out_bytes: 0, placeholder: null, changed: null };

test('what a handle stands for is shown in place of its excerpt', () => {
  const resolved = { ...RESOLVED, text: 'all\r\nof \x07it' };
  expect(entry(commandNode(2, 'cat', 'excerpt'), { resolved, full: true })).toContain('\nall\nof it\n');
});

test('a placeholder and a change are told before the content', () => {
  const node = commandNode(2, 'cat a', '');
  const gone = { ...RESOLVED, placeholder: 'a.txt is not there\x1b[2J any more' };
  expect(entry(node, { resolved: gone })).toBe(
    '00000002 [bash] cat a  2 min ago  exit 0\n[a.txt is not there any more]\n\n',
  );
  const other = { ...RESOLVED, text: 'new\n', changed: '1 line more' };
  expect(entry(node, { resolved: other })).toBe(
    '00000002 [bash] cat a  2 min ago  exit 0\nchanged since: 1 line more\nnew\n\n',
  );
});

test('the size of the part of a handle that was not read is shown', () => {
  const text = 'line\n'.repeat(1_000);
  const resolved = { ...RESOLVED, text, total_bytes: 3_000_000, left_out_bytes: 2_995_000 };
  expect(entry(commandNode(2, 'cat', ''), { resolved })).toContain(
    '\n… 2.9 MiB left out of 2.9 MiB; --full shows all\n',
  );
});

test('a command that was killed tells by what', () => {
  const node = commandNode(2, 'sleep 9', '');
  const external = { ...node.external, exit_code: null, signal: 'SIGKILL' };
  expect(entry({ ...node, external })).toBe('00000002 [bash] sleep 9  2 min ago  SIGKILL\n\n');
});

test('a hit tells where it is, with the matches standing out', () => {
  const hit = {
    ...{ tree: TreeId.parse(nodeId(9)), tree_name: 'notes\x1b[2J', node: nodeId(4), role: 'user' as const, tool: null },
    ...{ seq: 4, created_at_ms: NOW_MS, snippet: 'the race\ncondition of a race' },
  };
  const matches: [number, number][] = [
    [4, 8],
    [24, 28],
  ];
  expect(renderHit({ ...hit, matches }, { ...lookAt(80), style: namedStyle })).toBe(
    `<quiet:00000004  User  just now  in notes>
  the <match:race> condition of a <match:race>
`,
  );
});
