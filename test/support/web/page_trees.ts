import type { FileData } from '../../../cli/web/page/source/file_data.js';
import type { NodeCost } from '../../../cli/web/page/source/source.js';
import { TreeId } from '../../../hub/protocol/node.js';
import { callNode, textNode } from '../nodes.js';

type FileNodes = FileData['nodes'][number];

/** Builds the data of a page node by node; each call answers the `seq` of its node. */
interface PageTree {
  user(parent: number, text: string): number;
  answer(parent: number, text: string, cost?: Partial<NodeCost>): number;
  call(parent: number, call: { tool: string; input: unknown; exit?: number }, output: string): number;
  mark(name: string, seq: number): void;
  data(name: string, here: number): FileData;
}

const START_MS = Date.UTC(2026, 4, 4, 8, 12);

function createPageTree(): PageTree {
  const nodes: FileNodes[] = [{ node: textNode(0, 'root', ''), up: null, preview: '' }];
  const marks: { name: string; seq: number }[] = [];
  const costs: (NodeCost & { seq: number })[] = [];
  const add = (one: FileNodes): number => {
    const created_at_ms = START_MS + nodes.length * 7_000;
    nodes.push({ ...one, node: { ...one.node, created_at_ms } });
    return one.node.seq;
  };
  return {
    user: (up, text) => add({ node: textNode(nodes.length, 'user', text), up, preview: firstWords(text) }),
    answer(up, text, cost = {}) {
      const seq = add({ node: textNode(nodes.length, 'assistant', text), up, preview: firstWords(text) });
      costs.push({ ...COST, seq, ...cost });
      return seq;
    },
    call(up, { tool, input, exit }, output) {
      const made = exit === undefined ? { tool, input } : { tool, input, exit_code: exit };
      return add({ node: callNode(nodes.length, made, output), up, preview: firstWords(JSON.stringify(input)) });
    },
    mark: (name, seq) => void marks.push({ name, seq }),
    data: (name, here) => ({
      tree: {
        ...{ id: TreeId.parse('abcdef01-0000-4000-8000-000000000000'), name: null, title: name, project: null },
        ...{ updated_at_ms: START_MS, node_count: nodes.length, branch_count: 1 },
      },
      ...{ nodes, ranks: [], marks, costs, here },
    }),
  };
}

const COST: NodeCost = {
  ...{ price_microdollars: 40_000, tokens_in: 9_000, tokens_out: 300, tokens_cached: 7_000, model: 'demo-model' },
};

function firstWords(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 160);
}

const OLD_PARSER = `export function* parse(text: string): Generator<string[]> {
  for (const line of text.split('\\n')) {
    const fields = splitLine(line);
    if (fields.length > 0) yield fields;
  }
}
`;
const NEW_PARSER = `export function* parse(bytes: Uint8Array): Generator<string[]> {
  let start = 0;
  for (let place = 0; place < bytes.length; place += 1) {
    if (bytes[place] !== COMMA) continue;
    yield decode(bytes.subarray(start, place));
    start = place + 1;
  }
}
`;

/** A small conversation with forks, calls, failures, marks and costs. */
export function importerTree(): FileData {
  const tree = createPageTree();
  const question = tree.user(0, 'The importer takes 41 s for the sample with a million rows. Where does the time go?');
  const profiled = tree.call(
    question,
    { tool: 'bash', input: { command: 'node --cpu-prof bench.mjs' }, exit: 0 },
    'parse 25.6 s\n',
  );
  const told = tree.answer(profiled, TABLE, { price_microdollars: 42_000 });
  const ways = tree.answer(tree.user(told, 'What would you change first?'), THREE_WAYS);
  tree.mark('three ways', ways);
  const edit = { tool: 'edit', input: { path: 'src/parse.ts', old_text: OLD_PARSER, new_text: NEW_PARSER } };
  const edited = tree.call(
    tree.user(ways, 'Rewrite the parser as a state machine over bytes.'),
    edit,
    '[edited src/parse.ts: 9 → 11 lines at line 41]',
  );
  const failed = tree.call(
    edited,
    { tool: 'bash', input: { command: 'npm test -- parse' }, exit: 1 },
    ' 14 passed, 2 failed\n',
  );
  const fast = tree.answer(failed, 'The parser takes **4.2 s instead of 25.6 s**.', { price_microdollars: 110_000 });
  const batched = tree.user(fast, 'Good. Now put 1,000 inserts into one transaction.');
  const best = tree.answer(batched, '**8.5 s**, from 41.2 s.', { price_microdollars: 66_000 });
  tree.mark('best so far', best);
  const here = tree.answer(tree.user(best, 'Write the text of a pull request for this.'), PULL_REQUEST);
  tree.answer(
    tree.user(fast, 'Try one INSERT with many rows instead of transactions.'),
    'It is a little slower than batches.',
  );
  const trusted = tree.answer(
    tree.user(fast, 'Could trusted files skip the validation?'),
    'They could, and it would save 3 s.',
  );
  tree.answer(tree.user(trusted, 'Then compile the schema once.'), 'Validation takes 0.4 s instead of 3.0 s.');
  const workers = tree.user(ways, 'Try worker threads first, one per part of the file.');
  const split = {
    tool: 'write',
    input: { path: 'src/split.ts', content: '/** One for each core. */\nexport const parts = 4;\n' },
  };
  tree.answer(tree.call(workers, split, 'Wrote src/split.ts'), 'With 4 workers it takes **17.0 s**.');
  const rust = tree.answer(tree.user(ways, 'What would it take in Rust?'), 'About a week, most of it not Rust.');
  tree.answer(tree.user(rust, 'And as WASM?'), 'Strings have to be decoded in JavaScript anyway.');
  return tree.data('faster import', here);
}

const TABLE = `Most of it is **one regular expression per line**:

| part | time | share |
|---|---:|---:|
| \`splitLine\` | 25.6 s | 62 % |
| inserts | 8.7 s | 21 % |

The inserts are slow for another reason: each waits for the disk alone.`;

const THREE_WAYS = `Three ways, the cheapest first:

1. **A state machine over bytes.** No regular expression.
2. **Worker threads**, one per part of the file.
3. **Another language** for the hot loop.

\`\`\`ts
const COMMA = 0x2c;
\`\`\``;

const PULL_REQUEST = `## Import a million rows in 8.5 s instead of 41 s

**What changes**

- \`parse\` reads bytes with a state machine
- rows are inserted in batches of 1,000

| | before | after |
|---|---:|---:|
| parse | 25.6 s | 4.2 s |
| total | 41.2 s | **8.5 s** |

> A row that fails validation now fails its batch.`;

/** A conversation of many turns with branches, as agents' work looks. */
export function largeTree(size: number): FileData {
  const tree = createPageTree();
  const ends: number[] = [tree.user(0, 'look at the parser (1)')];
  for (let count = 2; count < size; count += 1) {
    const end = count % 61 === 0 ? (ends[(count * 7_919) % ends.length] ?? 0) : (ends.at(-1) ?? 0);
    ends.push(count % 5 === 1 ? tree.user(end, `look at the parser (${count})`) : nextOf(tree, end, count));
  }
  return tree.data(`agent ${size}`, ends.at(-1) ?? 0);
}

function nextOf(tree: PageTree, end: number, count: number): number {
  if (count % 5 === 2) return tree.answer(end, `Step **${count}** is done.`, { price_microdollars: count % 90_000 });
  return tree.call(
    end,
    { tool: 'bash', input: { command: `npm test -- part ${count}` }, exit: count % 37 === 0 ? 1 : 0 },
    'ok\n',
  );
}

/** One branch without a fork. */
export function chainTree(size: number): FileData {
  const tree = createPageTree();
  let end = 0;
  for (let count = 1; count < size; count += 1) {
    end = count % 3 === 1 ? tree.user(end, `question ${count}`) : tree.answer(end, `answer ${count}`);
  }
  return tree.data('a chain', end);
}

/** Each text in every field that a page shows: what people and models say, calls, marks, models, the name. */
export function hostileTree(texts: readonly string[]): FileData {
  const tree = createPageTree();
  let end = 0;
  for (const text of texts) {
    const said = tree.user(end, text);
    const answered = tree.answer(said, text, { model: text.slice(0, 400) });
    tree.mark(text.slice(0, 200), answered);
    const edited = tree.call(
      answered,
      { tool: 'edit', input: { path: text, old_text: text, new_text: `${text}\n${text}` } },
      text,
    );
    const written = tree.call(edited, { tool: 'write', input: { path: `x.${text}`, content: text } }, text);
    end = tree.call(written, { tool: text.slice(0, 200), input: { [text]: text }, exit: 1 }, text);
    tree.answer(said, text);
  }
  return tree.data(texts.join(' ').slice(0, 2_000), end);
}
