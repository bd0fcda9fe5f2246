import { expect, test } from 'vitest';
import { renderDiff, renderWritten } from '../../../cli/render/diff.js';
import { lookAt, namedStyle } from '../../support/look.js';

const look = lookAt(80);
const named = { ...look, style: namedStyle };

test('a change is shown with a few lines around it', () => {
  const oldText = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten';
  const newText = 'one\ntwo\nthree\n4\nfive\nsix\nseven\neight\nnine\nten\neleven';
  expect(renderDiff({ oldText, newText }, look)).toEqual([
    ...['  two', '  three', '- four', '+ 4', '  five', '  six'],
    '…',
    ...['  nine', '  ten', '+ eleven'],
  ]);
});

test('words that differ stand out in lines that are nearly the same', () => {
  expect(renderDiff({ oldText: 'const a = 1;\n', newText: 'const a = 2;\n' }, named)).toEqual([
    '<failure:- ><failure:const a = ><failure:<match:1>><failure:;>',
    '<good:+ ><good:const a = ><good:<match:2>><good:;>',
  ]);
  expect(renderDiff({ oldText: 'yes\n', newText: 'no\n' }, named)).toEqual([
    '<failure:- ><failure:yes>',
    '<good:+ ><good:no>',
  ]);
});

test('what was empty or becomes empty has only one side', () => {
  expect(renderDiff({ oldText: '', newText: 'a\tb\n' }, look)).toEqual(['+ a    b']);
  expect(renderDiff({ oldText: 'a\r\nb', newText: '' }, look)).toEqual(['- a', '- b']);
  expect(renderDiff({ oldText: 'same', newText: 'same' }, look)).toEqual([]);
});

test('control sequences are gone, and what is huge or wholly different is bounded', () => {
  expect(renderDiff({ oldText: '\x1b[2Ja', newText: '\x1b]0;x\x07b' }, look)).toEqual(['- a', '+ b']);
  const lines = (sign: string) => Array.from({ length: 20_000 }, (_, line) => `${sign}${line}`).join('\n');
  const huge = renderDiff({ oldText: lines('a'), newText: lines('b') }, look);
  expect([huge.length, huge.at(-1)]).toEqual([41, '… 39,960 more lines']);
  expect(renderDiff({ oldText: 'x'.repeat(100_000), newText: 'y' }, look)[0]).toHaveLength(403);
});

test('of a written file the first lines are shown', () => {
  expect(renderWritten('a\nb\n', look)).toEqual(['+ a', '+ b']);
  expect(renderWritten('a\n'.repeat(25), look).slice(-2)).toEqual(['+ a', '… 5 more lines']);
  expect(renderWritten('', look)).toEqual([]);
});
