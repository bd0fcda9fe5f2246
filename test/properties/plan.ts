import fc from 'fast-check';

/** One action on a tree; `at` chooses the node, modulo those that take children. */
export type Action =
  | { kind: 'text'; at: number; role: 'user' | 'assistant'; text: string }
  | { kind: 'external'; at: number; text: string }
  | { kind: 'step'; at: number; text: string; results: string[] }
  | { kind: 'together'; at: number; texts: string[] }
  | { kind: 'mark'; at: number; name: string }
  | { kind: 'archive'; at: number };

const at = fc.nat();
// Well-formed text of every script, with characters that SQL, JSON and terminals treat as special.
const text = fc
  .oneof(
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc.stringMatching(/^[a-z 数据é"'%_*\\-]{1,40}$/),
    fc.constantFrom('\u0000', 'a\nb\r\n', '\u001b[31mred', '{"json":true}', "'; DROP TABLE nodes; --"),
  )
  .filter((one) => one.trim() !== ''); // an empty message is refused
const name = fc.stringMatching(/^[a-z]{1,8}$/);

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('text'), at, role: fc.constantFrom('user', 'assistant'), text }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('external'), at, text }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('step'), at, text, results: fc.array(text, { maxLength: 4 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('together'), at, texts: fc.array(text, { minLength: 2, maxLength: 8 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('mark'), at, name }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('archive'), at }) },
);

/** A random tree, as the list of actions that build it. */
export const plan = fc.array(action, { minLength: 1, maxLength: 30 });
