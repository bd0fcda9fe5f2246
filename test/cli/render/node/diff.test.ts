import { expect, test } from 'vitest';
import { renderDiff, renderWritten } from '../../../../cli/render/node/diff.js';
import { lookAt, namedStyle } from '../../../support/look.js';

const look = lookAt(80);
const named = { ...look, style: namedStyle };

test('a change is shown with a few lines around it', () => {
  const oldText = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten';
  const newText = 'one\ntwo\nthree\n4\nfive\nsix\nseven\neight\nnine\nten\neleven';
  expect(renderDiff({ oldText, newText }, look, 'excerpt')).toEqual([
    ...['  two', '  three', '- four', '+ 4', '  five', '  six'],
    '…',
    ...['  nine', '  ten', '+ eleven'],
  ]);
});

test('words that differ stand out in lines that are nearly the same', () => {
  expect(renderDiff({ oldText: 'const a = 1;\n', newText: 'const a = 2;\n' }, named, 'excerpt')).toEqual([
    '<failure:- ><failure:const a = ><failure:<match:1>><failure:;>',
    '<good:+ ><good:const a = ><good:<match:2>><good:;>',
  ]);
  expect(renderDiff({ oldText: 'yes\n', newText: 'no\n' }, named, 'excerpt')).toEqual([
    '<failure:- ><failure:yes>',
    '<good:+ ><good:no>',
  ]);
});

test('what was empty or becomes empty has only one side', () => {
  expect(renderDiff({ oldText: '', newText: 'a\tb\n' }, look, 'excerpt')).toEqual(['+ a    b']);
  expect(renderDiff({ oldText: 'a\r\nb', newText: '' }, look, 'excerpt')).toEqual(['- a', '- b']);
  expect(renderDiff({ oldText: 'same', newText: 'same' }, look, 'excerpt')).toEqual([]);
});

test('control sequences are gone, and what is huge or wholly different is bounded', () => {
  expect(renderDiff({ oldText: '\x1b[2Ja', newText: '\x1b]0;x\x07b' }, look, 'excerpt')).toEqual(['- a', '+ b']);
  const lines = (sign: string) => Array.from({ length: 20_000 }, (_, line) => `${sign}${line}`).join('\n');
  const huge = renderDiff({ oldText: lines('a'), newText: lines('b') }, look, 'excerpt');
  expect([huge.length, huge.at(-1)]).toEqual([32, '… 19,985 more lines']);
  expect(huge.slice(14, 17)).toEqual(['- a14', '… 19,985 more lines', '+ b0']);
  expect(renderDiff({ oldText: 'x'.repeat(100_000), newText: 'y' }, look, 'excerpt')[0]).toHaveLength(403);
});

test('of a written file the first lines are shown', () => {
  expect(renderWritten('a\nb\n', look, 'excerpt')).toEqual(['+ a', '+ b']);
  expect(renderWritten('a\n'.repeat(25), look, 'excerpt').slice(-2)).toEqual(['+ a', '… 5 more lines']);
  expect(renderWritten('', look, 'excerpt')).toEqual([]);
});

test('an excerpt of a long change shows both sides of it, and says how much is left out', () => {
  const oldText = Array.from({ length: 60 }, (_, line) => `line ${line}`).join('\n');
  const newText = oldText.replace(/line (\d*[24])$/gm, 'other $1');
  const excerpt = renderDiff({ oldText, newText }, look, 'excerpt');
  const whole = renderDiff({ oldText, newText }, look, 'whole');
  expect(excerpt.slice(0, -1)).toEqual(whole.slice(0, 40));
  expect(excerpt.at(-1)).toBe(`… ${whole.length - 40} more lines`);
});

test('a change is shown whole where all of it is asked for', () => {
  const lines = (sign: string) => Array.from({ length: 5_000 }, (_, line) => `${sign}${line}`);
  const all = [...lines('a').map((line) => `- ${line}`), ...lines('b').map((line) => `+ ${line}`)];
  expect(renderDiff({ oldText: lines('a').join('\n'), newText: lines('b').join('\n') }, look, 'whole')).toEqual(all);
  expect(renderWritten(lines('').join('\n'), look, 'whole')).toEqual(lines('').map((line) => `+ ${line}`));
  expect(renderWritten('x'.repeat(1_000), look, 'whole')[0]).toHaveLength(1_002);
  expect(renderWritten('a\n'.repeat(300_000), look, 'whole')).toHaveLength(300_000);
});
