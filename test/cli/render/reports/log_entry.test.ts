import { expect, test } from 'vitest';
import { logLineText, turnEventText } from '../../../../cli/render/reports/log_entry.js';
import { logNode } from '../../../../hub/base/event_log_line.js';
import { type Block, type Node, NodeId, Sha256, TreeId, TurnId } from '../../../../hub/protocol/node.js';
import { lookAt } from '../../../support/look.js';

const id = '1a2b3c4d-0000-4000-8000-000000000000';
// The line tells the time of the place where it is read.
const atMs = new Date(2026, 0, 31, 23, 59, 58).getTime();
const usage = {
  ...{ tokens_in: 234, tokens_out: 567, tokens_cache_read: 1_000 },
  ...{ tokens_cache_write_5m: 0, tokens_cache_write_1h: 0 },
};

function node(role: 'user' | 'assistant', ...blocks: Block[]): Node {
  return {
    ...{ id: NodeId.parse(id), tree: TreeId.parse(id), parent: null, created_at_ms: atMs, step: null, settings: null },
    ...{ hash: Sha256.parse('0'.repeat(64)), seq: 7, depth: 1, kind: 'text', role, blocks },
  };
}

const text = (words: string): Block => ({ type: 'text', text: words });

test('a node is a line with the time, its id, who said what, and its tokens', () => {
  expect(logLineText(logNode(node('user', text('list\nthe \x1b[31mfiles\x07')), null), lookAt(80))).toBe(
    '2026-01-31 23:59:58  1a2b3c4d  User: list the files',
  );
  expect(logLineText(logNode(node('assistant', text('x'.repeat(900))), usage), lookAt(70))).toBe(
    `2026-01-31 23:59:58  1a2b3c4d  Assistant: xxx…  i:1,234(c:1,000) o:567`,
  );
  const called: Block = { type: 'call', id: 'c1', tool: 'bash', input: { command: 'ls' } };
  expect(logLineText(logNode(node('assistant', called), null), lookAt(80))).toBe(
    '2026-01-31 23:59:58  1a2b3c4d  Assistant: [bash]',
  );
});

test('a narrow window cuts what was said, and never fails', () => {
  for (const width of [1, 5, 20, 31, 40]) {
    const line = logLineText(logNode(node('user', text('数据 '.repeat(50))), usage), lookAt(width));
    expect(line).toMatch(/^2026-01-31 23:59:58 {2}1a2b3c4d {2}.*o:567$/);
  }
});

test('what happens in a turn is told in words, and what streams is not', () => {
  const turn = TurnId.parse(id);
  const look = { ...lookAt(60), nowMs: atMs };
  expect(turnEventText({ kind: 'text_added', turn, text: 'so' }, look)).toBe(null);
  const input = { command: 'ls \x1b]0;evil\x07-la' };
  expect(
    turnEventText({ kind: 'call_started', turn, call: 'c', id: NodeId.parse(id), tool: 'bash', input }, look),
  ).toBe('2026-01-31 23:59:58 … [bash] ls -la');
});
