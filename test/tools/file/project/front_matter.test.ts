import fc from 'fast-check';
import { expect, test } from 'vitest';
import { frontMatterText } from '../../../../tools/file/project/front_matter.js';

const of = (...lines: string[]) =>
  frontMatterText(['---', 'name: tides', ...lines, '---', '# Page'].join('\n'), 'description');

test.each([
  ['plain', ['description: High tide.  In a harbour. # not said', 'license: MIT']],
  ['plain on several lines', ['description: High tide.', '  In a', '', '  harbour.']],
  ['folded', ['description: >', '  High tide.', '  In a harbour.', 'license: MIT']],
  ['folded, stripped', ['description: >-  # why', '  High tide.', '', '  In a harbour.']],
  ['literal', ['description: |2+', '    High tide.', '  In a harbour.']],
  ['in double quotes', ['description: "High \\x74ide.\\n\\u0049n \\', '  a harbour." # not said']],
  ['in single quotes', ["description: 'High tide. In a", "  harbour.'"]],
  ['below its name', ['description:', '  High tide. In a harbour.']],
  ['with lines of Windows', ['description: >\r', '  High tide.\r', '  In a harbour.\r']],
])('a description is read that is written %s', (_, lines) => {
  expect(of(...lines)).toBe('High tide. In a harbour.');
});

test('signs of YAML within a text stay', () => {
  expect(of("description: 'It''s #1: a \"tide\"'")).toBe('It\'s #1: a "tide"');
  expect(of('description: "a \\"tide\\" \\\\x41"')).toBe('a "tide" \\x41');
  expect(of('description: tide#1: yes')).toBe('tide#1: yes');
});

test('a page without the field, without an end of its front matter or without any has none', () => {
  expect(of('descriptions: no', 'description_long: no', ' description: nested')).toBeNull();
  expect(of('description:', 'license: MIT')).toBeNull();
  expect(frontMatterText('---\ndescription: no end', 'description')).toBeNull();
  expect(frontMatterText('description: no beginning', 'description')).toBeNull();
  expect(frontMatterText('', 'description')).toBeNull();
});

test('whatever a page holds, what is read of it is one line without signs that steer a terminal', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(...['\n', '"', "'", '\\', '>', '|', '---', ' ']),
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      expect(of(`description: ${pieces.join('')}`) ?? '').not.toMatch(/[\p{Cc}\u2028\u2029]/u);
    }),
  );
});
