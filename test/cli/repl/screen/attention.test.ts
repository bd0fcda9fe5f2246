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

test('a bell rings as well, and in silence nothing does', async () => {
  for (const how of ['bell', 'off']) {
    const env = { COGNITION_NOTIFY: how, COGNITION_NOTIFY_SECONDS: '0' };
    await withChat({ args: ['--model', 'demo'], env }, async (terminal) => {
      await terminal.waitFor('Commands: /help');
      terminal.type('help', KEYS.enter);
      await terminal.waitFor('Whatever I have said');
      await terminal.waitFor((screen) => !screen.join('\n').includes('Esc stops'));
      if (how === 'bell') await terminal.waitFor(() => terminal.raw().includes('\x07'));
      // Whatever the end of the turn wrote stands before what a key wrote.
      terminal.type('x');
      await terminal.waitFor('> x');
      // Titles and the like, which begin with an escape, end with a bell as well.
      const rung = terminal
        .raw()
        .split('\x07')
        .slice(0, -1)
        .filter((before) => !before.includes('\x1b]')).length;
      expect([how, rung]).toEqual([how, how === 'bell' ? 1 : 0]);
    });
  }
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
