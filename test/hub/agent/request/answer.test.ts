import { expect, test } from 'vitest';
import type { ModelEvent } from '../../../../hub/agent/model/provider.js';
import { addToAnswer, newAnswer } from '../../../../hub/agent/request/answer.js';

function folded(...events: ModelEvent[]) {
  const answer = newAnswer();
  for (const event of events) addToAnswer(answer, event);
  return answer;
}

test('pieces make blocks, and a signature closes its piece of thinking', () => {
  const { blocks } = folded(
    { kind: 'thinking', text: 'a' },
    { kind: 'thinking', text: 'b' },
    { kind: 'thinking_signed', signature: 's' },
    { kind: 'thinking', text: 'c' },
    { kind: 'thinking_signed', signature: null },
    { kind: 'thinking_signed', signature: 't' },
    { kind: 'thinking_signed', signature: 'hidden' },
    { kind: 'text', text: 'd' },
    { kind: 'text', text: 'e' },
  );
  expect(blocks).toEqual([
    { type: 'thinking', text: 'ab', signature: 's' },
    { type: 'thinking', text: 'c', signature: 't' },
    { type: 'thinking', text: '', signature: 'hidden' },
    { type: 'text', text: 'de' },
  ]);
});

test('a call counts when it is whole, and one that is malformed is kept with its problem', () => {
  const begun: ModelEvent[] = [
    { kind: 'call_begun', id: 'c', tool: 'bash' },
    { kind: 'call_input', id: 'c', text: '{"a' },
  ];
  expect(folded(...begun).blocks).toEqual([]);
  const answer = folded(...begun, { kind: 'call_malformed', id: 'c', tool: 'bash', text: '{"a', problem: 'no' });
  expect(answer.blocks).toEqual([{ type: 'call', id: 'c', tool: 'bash', input: { not_json: '{"a' } }]);
  expect([...answer.malformed]).toEqual([['c', 'no']]);
  expect(answer.end).toBeNull();
});
