import { expect, test } from 'vitest';
import { excerptOf } from '../../../cli/render/excerpt.js';
import { renderHit } from '../../../cli/render/hits.js';
import { type PathEntry, renderPathEntry } from '../../../cli/render/path.js';
import type { Node } from '../../../hub/protocol/node.js';
import { TreeId } from '../../../hub/protocol/node.js';
import { lookAt, NOW_MS, namedStyle } from '../../support/look.js';
import { commandNode, textNode } from '../../support/nodes.js';
import { nodeId } from '../../support/skeleton.js';

function entry(node: Node, more: Partial<PathEntry> = {}): string {
  return renderPathEntry({ node, sent: true, output: null, full: false, ...more }, lookAt(80));
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

test('a stored output is shown in place of its excerpt', () => {
  expect(entry(commandNode(2, 'cat', 'excerpt'), { output: 'all\r\nof \x07it', full: true })).toContain(
    '\nall\nof it\n',
  );
});

test('a hit tells where it is, with the matches standing out', () => {
  const hit = {
    ...{ tree: TreeId.parse(nodeId(9)), tree_name: 'notes\x1b[2J', node: nodeId(4), role: 'user' as const, tool: null },
    ...{ created_at_ms: NOW_MS, snippet: 'the race\ncondition of a race' },
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
