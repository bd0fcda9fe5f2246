import { expect, test } from 'vitest';
import { attentionSequence } from '../../../../cli/repl/front/attention.js';
import type { Status } from '../../../../cli/repl/front/front.js';
import { KEYS, withChat } from '../../../support/terminal.js';

const CALLS = '\x1b]9;cognition: ';

test('who wants it is told by the terminal that a turn has ended, and that a question waits', async () => {
  const env = { COGNITION_NOTIFY: 'osc9', COGNITION_NOTIFY_SECONDS: '0' };
  await withChat({ args: ['--model', 'demo'], env }, async (terminal) => {
    await terminal.waitFor('Commands: /help');
    terminal.type('hello', KEYS.enter);
    await terminal.waitFor(() => terminal.raw().includes(`${CALLS}the turn has ended\x07`));
    terminal.type(KEYS.shiftTab);
    await terminal.waitFor('[ Plan ]');
    terminal.type('make a plan', KEYS.enter);
    await terminal.waitFor(() => terminal.raw().includes(`${CALLS}a question waits\x07`));
  });
});

test('a short turn, one that is stopped, and any where nobody wants it end in silence', () => {
  const [running, stopping, ended] = (['running', 'stopping', null] as const).map(
    (turn) => ({ turn, asks: null }) as Status, // no more of it is used
  );
  const call = (how: 'off' | 'bell', before: Status | undefined, turnMs: number) =>
    before === undefined || ended === undefined
      ? null
      : attentionSequence({ how, longMs: 20_000 }, { before, after: ended, turnMs });
  expect(call('bell', running, 20_000)).toBe('\x07');
  expect(call('bell', running, 19_999)).toBe('');
  expect(call('bell', stopping, 60_000)).toBe('');
  expect(call('off', running, 60_000)).toBe('');
});
