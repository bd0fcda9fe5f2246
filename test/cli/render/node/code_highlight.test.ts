import { expect, test } from 'vitest';
import { codeInk } from '../../../../cli/render/node/code_highlight.js';
import { namedStyle } from '../../../support/look.js';

function inked(language: string, lines: string[]): string[] | undefined {
  const ink = codeInk(language, namedStyle);
  return ink === null ? undefined : lines.map((line) => ink.take(line));
}

test('code has the colours of its language, line by line', () => {
  expect(inked('py', ['def f(x):', '    return "a<b" # & more'])).toEqual([
    '<user:def> <strong:f>(x):',
    '    <user:return> <good:"a<b"> <quiet:# & more>',
  ]);
  expect(inked('json', ['{"a": [1, true]}'])).toEqual(['{<tool:"a">: [<tool:1>, <user:true>]}']);
  expect(inked('diff', ['-gone', '+come'])).toEqual(['<failure:-gone>', '<good:+come>']);
});

test('what began in a line before goes on', () => {
  expect(inked('js', ['/* one', '', 'two */ let a', '`b', 'c` + 1'])).toEqual([
    ...['<quiet:/* one>', '', '<quiet:two */> <user:let> a', '<good:`b>', '<good:c`> + <tool:1>'],
  ]);
});

test('a line that is not complete can be looked at without being taken', () => {
  const ink = codeInk('ts', namedStyle);
  expect([ink?.peek('/* a'), ink?.peek('let'), ink?.take('let a')]).toEqual([
    '<quiet:/* a>',
    '<user:let>',
    '<user:let> a',
  ]);
});

test('an unknown language has no colours, and neither has a line of a thousand characters', () => {
  expect([inked('klingon', ['a']), inked('', ['a'])]).toEqual([undefined, undefined]);
  const long = `let a = "${'x'.repeat(1_000)}"`;
  expect(inked('TypeScript', [long])).toEqual([long]);
});
