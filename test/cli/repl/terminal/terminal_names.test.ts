import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createNameAnswer } from '../../../../cli/repl/terminal/name_answer.js';
import { reflowOf, reflowOfName } from '../../../../cli/repl/terminal/terminal_names.js';

test.each([
  [{ TERM: 'xterm-256color' }, null],
  [{ TERM: 'screen-256color' }, null],
  [{ TERM: 'xterm-256color', TERM_PROGRAM: 'vscode' }, 'xterm_js'],
  [{ TERM: 'xterm-256color', TERM_PROGRAM: 'Apple_Terminal' }, 'all'],
  [{ TERM: 'xterm-256color', VTE_VERSION: '7600' }, 'all'],
  [{ TERM: 'xterm', XTERM_VERSION: 'XTerm(390)', VTE_VERSION: '7600' }, 'none'],
  [{ TERM: 'st-256color', VTE_VERSION: '7600' }, 'none'],
  [{ TERM: 'xterm-kitty' }, 'all'],
  [{ TERM: 'screen-256color', TMUX: '/tmp/tmux', TERM_PROGRAM: 'vscode' }, 'all'],
  [{ TERM: 'tmux-256color' }, 'all'],
  [{ TERM: 'screen', STY: '1.pts' }, 'none'],
  [{ TERM: 'linux' }, 'none'],
])('how a terminal wraps what is too long is told by %o', (variables: Record<string, string>, reflow) => {
  expect(reflowOf((name) => variables[name])).toBe(reflow);
});

test.each([
  ['tmux 3.3a', 'all'],
  ['VTE(7600)', 'all'],
  ['xterm.js(6.0.0)', 'xterm_js'],
  ['XTerm(390)', 'none'],
  ['something new', 'none'],
])('and by the name %s that it answers', (name, reflow) => {
  expect(reflowOfName(name)).toBe(reflow);
});

test('however an answer is cut, it is found, and only what was typed around it is left', () => {
  const typed = fc.constantFrom('', 'a', 'words 数据', '\x1b[A', '\r');
  fc.assert(
    fc.property(typed, typed, fc.array(fc.nat(40), { maxLength: 4 }), (before, behind, cuts) => {
      const names: string[] = [];
      const answer = createNameAnswer((name) => names.push(name));
      answer.expect();
      const whole = `${before}\x1bP>|kitty(0.35.2)\x1b\\${behind}`;
      const places = [0, ...cuts.map((cut) => Math.min(cut, whole.length)).sort((a, b) => a - b), whole.length];
      const pieces = places.slice(1).map((end, index) => whole.slice(places[index], end));
      expect(pieces.map(answer.take).join('')).toBe(before + behind);
      expect(names).toEqual(['kitty(0.35.2)']);
    }),
  );
});

test('the beginning of an answer is a key when nothing follows', () => {
  const answer = createNameAnswer(() => undefined);
  expect(answer.take('\x1b')).toBe('\x1b');
  answer.expect();
  expect(answer.take('a\x1b')).toBe('a');
  expect(answer.giveUp()).toBe('\x1b');
  expect(answer.take('\x1b')).toBe('\x1b');
});
