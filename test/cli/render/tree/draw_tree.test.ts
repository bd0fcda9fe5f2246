import fc from 'fast-check';
import { expect, test } from 'vitest';
import { drawTree } from '../../../../cli/render/tree/draw_tree.js';
import { outlineOf } from '../../../../cli/render/tree/outline.js';
import type { SkeletonNode } from '../../../../hub/protocol/node.js';
import { lookAt, namedStyle } from '../../../support/look.js';
import { nodeId, skeletonNode, skeletonOf } from '../../../support/skeleton.js';
import { answer, step, summary, user } from '../../../support/trees.js';

const files = skeletonOf(
  user(
    'list the python files in src/',
    step(
      '',
      ['ls src/*.py'],
      answer(
        'I found 2 Python files',
        user('actually, show me utils.py instead', step('', ['cat src/utils.py'], answer('It has two functions'))),
        user('show me the contents of main.py', step('', ['cat src/main.py'], answer("Here's the contents"))),
      ),
    ),
  ),
);

const NO_MARKS: ReadonlyMap<string, string[]> = new Map();

interface Drawing {
  width: number;
  nested: boolean;
  position: string | null;
}

function draw(nodes: readonly SkeletonNode[], drawing: Partial<Drawing> = {}): string {
  const { width = 80, nested = false, position = null } = drawing;
  const lines = drawTree({ outline: outlineOf(nodes), position, nested, ids: false, marks: NO_MARKS }, lookAt(width));
  return `\n${[...lines].join('\n')}\n`;
}

test('the path to the position stays in one column, and other branches leave it', () => {
  expect(draw(files, { position: nodeId(5) })).toBe(`
(root)
 User: list the python files in src/
 [bash:ls src/*.py]
 Assistant: I found 2 Python files
 ├── User: show me the contents of main.py
 │   [bash:cat src/main.py]
 │   Assistant: Here's the contents
 User: actually, show me utils.py instead          ● you are here
 [bash:cat src/utils.py]
 Assistant: It has two functions
`);
});

test('where the position is not known, or right at a fork, the heaviest branch goes straight on', () => {
  const drawing = `
(root)
 User: list the python files in src/
 [bash:ls src/*.py]
 Assistant: I found 2 Python files
 ├── User: show me the contents of main.py
 │   [bash:cat src/main.py]
 │   Assistant: Here's the contents
 User: actually, show me utils.py instead
 [bash:cat src/utils.py]
 Assistant: It has two functions
`;
  expect(draw(files)).toBe(drawing);
  expect(draw(files, { position: nodeId(4) }).replace(/ +● you are here/, '')).toBe(drawing);
});

test('branches that begin alike are told from the word in which they differ', () => {
  const nodes = skeletonOf(
    user(
      'a',
      user('please read all of the program and say what is slow'),
      user('please read all of the program and say why'),
    ),
  );
  expect(draw(nodes, { width: 40 })).toBe(`
(root)
 User: a
 ├── User: …why
 User: …what is slow
`);
});

test('marks stand behind what they name', () => {
  const drawing = { outline: outlineOf(skeletonOf(user('a', user('b')))), position: null, nested: false, ids: true };
  const marks = new Map([[nodeId(1), ['begin', 'two words']]]);
  expect([...drawTree({ ...drawing, marks }, lookAt(80))][1]).toBe(' 00000001 User: a #begin #two words');
});

test('the path to the position is straight, however often it was left', () => {
  const retries = skeletonOf(
    user('a', user('a2'), answer('b', user('c', user('c2'), user('d', user('e'), user('f')), user('c3', user('c4'))))),
  );
  expect(draw(retries, { position: nodeId(8) })).toBe(`
(root)
 User: a
 ├── User: a2
 Assistant: b
 User: c
 ├── User: c2
 ├── User: c3
 │   User: c4
 User: d
 ├── User: e
 User: f          ● you are here
`);
});

test('the nested form puts every node one level deeper', () => {
  expect(draw(files, { nested: true })).toBe(`
└── (root)
    └── User: list the python files in src/
        └── [bash:ls src/*.py]
            └── Assistant: I found 2 Python files
                ├── User: actually, show me utils.py instead
                │   └── [bash:cat src/utils.py]
                │       └── Assistant: It has two functions
                └── User: show me the contents of main.py
                    └── [bash:cat src/main.py]
                        └── Assistant: Here's the contents
`);
});

test('forks below forks carry the bars of those above', () => {
  const nodes = skeletonOf(
    user('a', answer('b', user('c', answer('d', user('e'), user('f'))), user('g')), summary('all of it')),
  );
  expect(draw(nodes, { position: nodeId(8) })).toBe(`
(root)
 User: a
 ├── Assistant: b
 │   ├── User: c
 │   │   Assistant: d
 │   │   ├── User: e
 │   │   └── User: f
 │   └── User: g
 Summary: all of it          ● you are here
`);
});

test('a tree that forks at its root', () => {
  expect(draw(skeletonOf(user('a'), user('b')))).toBe(`
(root)
 ├── User: b
 User: a
`);
});

test('at 20 columns texts are cut and the position is only a sign', () => {
  expect(draw(files, { width: 20, position: nodeId(5) })).toBe(`
(root)
 User: list the pyt…
 [bash:ls src/*.py]
 Assistant: I found…
 ├── User: show me…
 │   [bash:cat src…]
 │   Assistant: Her…
 User: actually,…  ●
 [bash:cat src/uti…]
 Assistant: It has…
`);
});

test('wide characters are cut by their columns', () => {
  const nodes = skeletonOf(user('数据结构与算法分析与设计'), user('👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧'));
  expect(draw(nodes, { width: 20 })).toBe(`
(root)
 ├── User: 👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧…
 User: 数据结构与算…
`);
});

test('without Unicode the drawing is plain ASCII', () => {
  const drawing = { outline: outlineOf(files), position: nodeId(5), nested: false, ids: false, marks: NO_MARKS };
  expect([...drawTree(drawing, lookAt(60, 'ascii'))].slice(3, 8)).toEqual([
    ' Assistant: I found 2 Python files',
    ' |-- User: show me the contents of main.py',
    ' |   [bash:cat src/main.py]',
    " |   Assistant: Here's the contents",
    ' User: actually, show me utils.py instead     * you are here',
  ]);
});

test('failed commands and archived branches are told, and nothing escapes to the terminal', () => {
  const nodes = [
    ...skeletonOf(),
    skeletonNode({ number: 1, parent: nodeId(0), role: 'tool', tool: 'bash', preview: 'false', exit_code: 1 }),
    skeletonNode({ number: 2, parent: nodeId(0), role: 'user', preview: '\x1b[31mred\nline', archived: true }),
  ];
  expect(draw(nodes)).toBe(`
(root)
 ├── User: red line (archived)
 [bash:false] exit 1
`);
});

test('emphasis is named by its meaning', () => {
  const drawing = {
    outline: outlineOf(skeletonOf(user('a'))),
    position: nodeId(1),
    nested: false,
    ids: true,
    marks: NO_MARKS,
  };
  expect([...drawTree(drawing, { ...lookAt(80), style: namedStyle })]).toEqual([
    '<quiet:00000000 ><quiet:(root)>',
    '<quiet: ><quiet:00000001 ><user:User: a>          <here:● you are here>',
  ]);
});

test('a chain of 100,000 nodes is drawn without recursion, in both forms', () => {
  const outline = outlineOf(chain(100_000));
  expect(count(drawTree({ outline, position: null, nested: false, ids: false, marks: NO_MARKS }, lookAt(80)))).toBe(
    100_000,
  );
  expect(count(drawTree({ outline, position: null, nested: true, ids: false, marks: NO_MARKS }, lookAt(80)))).toBe(
    100_000,
  );
});

test('levels that would fill the line are counted instead of drawn', () => {
  const outline = outlineOf(chain(31));
  const lines = [...drawTree({ outline, position: null, nested: true, ids: false, marks: NO_MARKS }, lookAt(40))];
  expect(lines.slice(3, 7)).toEqual([
    '            └── User: node 3',
    '                └── User: node 4',
    '…1                 └── User: node 5',
    '…2                 └── User: node 6',
  ]);
  expect(lines.at(-1)).toBe('…26                 └── User: node 30');
});

test('forks nested deeper than one piece of the drawing are drawn as if they were not', () => {
  const DEPTH = 130;
  const nodes = skeletonOf();
  for (let level = 0; level < DEPTH; level += 1) {
    const parent = level === 0 ? nodeId(0) : nodeId(level * 2 - 1);
    for (const number of [level * 2 + 1, level * 2 + 2]) {
      nodes.push(skeletonNode({ number, parent, role: 'user', preview: String(number) }));
    }
  }
  const lines = [
    ...drawTree(
      { outline: outlineOf(nodes), position: nodeId(2), nested: false, ids: false, marks: NO_MARKS },
      lookAt(10_000),
    ),
  ];
  expect(lines).toHaveLength(DEPTH * 2 + 1);
  const sides = lines.slice(1 + DEPTH).map((line) => /User: (\d+)/.exec(line)?.[1]);
  expect(sides).toEqual(Array.from({ length: DEPTH }, (_, level) => String((DEPTH - level) * 2)));
});

test('every node of any tree is drawn exactly once, after its parent', () => {
  const parents = fc.array(fc.nat(), { maxLength: 120 });
  fc.assert(
    fc.property(parents, fc.boolean(), fc.nat(), (choices, nested, at) => {
      const nodes = skeletonOf();
      for (const [index, choice] of choices.entries()) {
        const parent = nodeId(choice % nodes.length);
        nodes.push(skeletonNode({ number: index + 1, parent, role: 'user', preview: `n${index + 1}` }));
      }
      const position = nodes[at % nodes.length]?.id ?? null;
      const lines = [
        ...drawTree({ outline: outlineOf(nodes), position, nested, ids: true, marks: NO_MARKS }, lookAt(1_000)),
      ];
      const drawn = lines.map((line) => Number(/(\d{8}) /.exec(line)?.[1]));
      expect([...drawn].sort((a, b) => a - b)).toEqual(nodes.map((_, index) => index));
      for (const node of nodes.slice(1)) {
        const above = nodes.findIndex(({ id }) => id === node.parent);
        expect(drawn.indexOf(above)).toBeLessThan(drawn.indexOf(nodes.indexOf(node)));
      }
    }),
  );
});

function chain(length: number): SkeletonNode[] {
  return Array.from({ length }, (_, number) =>
    number === 0
      ? skeletonNode({ number, parent: null, role: 'root', preview: '' })
      : skeletonNode({ number, parent: nodeId(number - 1), role: 'user', preview: `node ${number}` }),
  );
}

function count(lines: Iterable<string>): number {
  let number = 0;
  for (const _ of lines) number += 1;
  return number;
}
