import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HubError } from '../../hub/base/error.js';
import type { ParamsOf } from '../../hub/protocol/methods/method_table.js';
import { NodeId, Sha256, TreeId } from '../../hub/protocol/node.js';
import { openBlobs } from '../../loom/outputs/blobs.js';
import { outputPath } from '../../loom/outputs/output_path.js';
import type { ReadMethod } from '../../loom/read/read_methods.js';
import type { SoundNodes } from '../../loom/read/sound_nodes.js';
import { DAMAGED } from '../../loom/store/damaged_row.js';
import { openReader } from '../support/reader.js';
import { answer, ran, step, text, user } from '../support/trees.js';
import { type TestWriter, withWriter } from '../support/writer.js';

/** What the reading methods are answered, and the outputs that are read. */
interface Question {
  calls: { [M in ReadMethod]?: ParamsOf<M>[] };
  outputs: Sha256[];
  /** Those whose feed is read. */
  trees: TreeId[];
}

const WORDS = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta', 'eta', 'theta'];

/** Fills a home with trees, steps, settings, outputs, marks and archives, and returns what can be answered of it. */
async function furnishHome(writer: TestWriter): Promise<Question> {
  const { sha256: settings } = writer.write('loom.settings_put', {
    settings: { system_prompt: 'be brief '.repeat(50), tools: [], level: 'minimal', model: 'demo', thinking: 'off' },
  });
  const outputs = [10, 5_000, 80_000].map((size) => storeOutput(writer, 'o'.repeat(size)));
  const nodes: string[] = [];
  const trees: TreeId[] = [];
  for (const name of ['first', 'second']) {
    const story = WORDS.map((word) =>
      user(`${name} ${word} asks ${'and asks '.repeat(20)}`, step(`${word} looks`, ['ls', 'pwd'])),
    );
    const { tree, ids } = await writer.plant(user('begin', answer('reply'), ...story));
    nodes.push(...Object.values(ids));
    const at = { tree, parent: ids.begin ?? '' };
    for (const sha256 of outputs) {
      const output = { sha256, size_bytes: 1, total_bytes: 1 };
      nodes.push(
        writer.write('loom.node_create_external', { ...at, blocks: text('seen'), external: { ...ran('cat'), output } })
          .node.id,
      );
    }
    const answered = { ...at, role: 'assistant' as const, blocks: text('with settings'), settings };
    nodes.push(writer.write('loom.node_create_text', answered).node.id);
    writer.write('loom.tree_update', { tree, name });
    writer.write('loom.mark_set', { tree, name: `${name} mark`, node: ids.reply ?? '' });
    trees.push(TreeId.parse(tree));
  }
  const each = <T>(make: (node: NodeId) => T): T[] => nodes.map((node) => make(NodeId.parse(node)));
  return {
    outputs,
    trees,
    calls: {
      'loom.node_get': each((node) => ({ node })),
      'loom.context_get_path': each((node) => ({ node })),
      'loom.context_get_handles': each((node) => ({ node })),
      'loom.context_get_place': each((node) => ({ node })),
      'loom.node_get_children': each((node) => ({ node })),
      'loom.node_read_children': each((node) => ({ node })),
      'loom.node_get_many': each((node) => ({ nodes: [node] })),
      'loom.tree_get_skeleton': trees.map((tree) => ({ tree, archived: true })),
      'loom.context_list_leaves': trees.map((tree) => ({ tree })),
      'loom.tree_export': trees.map((tree) => ({ tree })),
      'loom.settings_get': [{ sha256: settings }],
      'loom.search': [...WORDS, 'seen', 'ls'].map((query) => ({ query })),
      'loom.tree_list': [{}],
      'loom.tree_get': trees.map((tree) => ({ tree })),
      'loom.mark_list': trees.map((tree) => ({ tree })),
    },
  };
}

function storeOutput(writer: TestWriter, content: string): Sha256 {
  const sha256 = Sha256.parse(createHash('sha256').update(content).digest('hex'));
  const path = outputPath(join(writer.folder, 'outputs'), sha256);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return sha256;
}

/** What one answer shows, as a whole and item by item; an error shows nothing. */
type Answer = { whole: string; items: string[] } | { error: string };

/** Asks everything, in a reader of its own. */
export async function askAll(
  folder: string,
  { calls, outputs, trees }: Question,
  sound?: SoundNodes,
): Promise<Map<string, Answer>> {
  const answers = new Map<string, Answer>();
  const reader = openReader(folder, sound);
  const blobs = await openBlobs({
    ...{ outputs: join(folder, 'outputs'), uploads: join(folder, 'uploads'), lease: async () => undefined },
  });
  try {
    for (const [method, list] of Object.entries(calls)) {
      for (const [index, params] of list.entries()) {
        // The methods of the list above, each with its own parameters.
        const answered = reader.raw(method as ReadMethod, params as never);
        answers.set(`${method} ${index}`, await answered.then(itemsOf, errorOf));
      }
    }
    for (const [index, tree] of [null, ...trees].entries()) {
      const told = reader.feed({ tree, since: 0, until: 1_000_000, limit: 1_000_000 });
      const items = told.then(({ events }) => ({ whole: '', items: events.map(({ json }) => json) }), errorOf);
      answers.set(`feed ${index}`, await items);
    }
    for (const sha256 of outputs) {
      const read = blobs.read({ sha256, offset: 0, limit: 1024 * 1024 });
      answers.set(
        `output ${sha256}`,
        await read.then(({ bytes }) => ({ whole: '', items: [bytes.toString('base64')] }), errorOf),
      );
    }
    return answers;
  } finally {
    await blobs.close();
    reader.close();
  }
}

function itemsOf(json: string): Answer {
  try {
    return { whole: json, items: partsOf(json) };
  } catch {
    return { whole: json, items: [json] }; // no JSON: nobody could have stored that
  }
}

function partsOf(json: string): string[] {
  const result: { node?: { damaged?: true }; step_end?: string } = JSON.parse(json);
  const list: unknown[] = Object.values<unknown>(result).find(Array.isArray) ?? [];
  const end: unknown[] = result.node?.damaged === true ? [] : [result.step_end];
  const single: unknown[] = result.node === undefined ? [] : [result.node, ...end];
  return [...list, ...single].map((item) => JSON.stringify(contentOf(item)));
}

/** Of a leaf the node itself: how long its branch is depends on others. */
function contentOf(item: unknown): unknown {
  return typeof item === 'object' && item !== null && 'differs' in item && 'node' in item ? item.node : item;
}

function errorOf(error: unknown): Answer {
  if (error instanceof HubError) return { error: `${error.kind}: ${error.message}` };
  throw error;
}

/** What a flip came to: `true` is what must never be: something else was shown as if it had been stored. */
export type Verdict = 'unharmed' | 'noticed at read' | 'noticed by fsck' | 'shown as true' | 'unnoticed';

export interface FlipParts {
  home: string;
  copy: string;
  question: Question;
  truth: Map<string, Answer>;
  /** Given for a control that believes what it reads. */
  sound?: SoundNodes;
}

/** Flips one bit of a home in a copy, reads all of it, and has it checked. */
export async function flipOneBit(
  { home, copy, question, truth, sound }: FlipParts,
  random: () => number,
): Promise<{ verdict: Verdict; what: string }> {
  const { file, offset, bit } = chooseBit(home, random);
  copyHome(home, copy);
  const bytes = readFileSync(join(copy, file));
  bytes[offset] = (bytes[offset] ?? 0) ^ (1 << bit);
  writeFileSync(join(copy, file), bytes);
  const where = `${file} at ${offset} bit ${bit}`;
  const seen = compare(truth, await askAll(copy, question, sound).catch(allFail));
  if (seen.lie !== null) return { verdict: 'shown as true', what: `${where}: ${seen.lie.slice(0, 400)}` };
  if (seen.isNoticed) return { verdict: 'noticed at read', what: where };
  if (await check(copy)) return { verdict: 'noticed by fsck', what: where };
  return { verdict: seen.differs ? 'unnoticed' : 'unharmed', what: where };
}

interface Comparison {
  differs: boolean;
  /** An answer is an error, or marks what is damaged. */
  isNoticed: boolean;
  /** What was never stored and is not marked. */
  lie: string | null;
}

function compare(truth: Map<string, Answer>, answers: Map<string, Answer>): Comparison {
  const known = new Set([...truth.values()].flatMap((answer) => ('items' in answer ? answer.items : [])));
  const changed = [...answers].filter(([call, answer]) => JSON.stringify(answer) !== JSON.stringify(truth.get(call)));
  const strange = changed.flatMap(([call, answer]) =>
    'items' in answer ? answer.items.filter((item) => !known.has(item)).map((item) => ({ call, item })) : [],
  );
  const lie = strange.find(({ item }) => !isMarked(item));
  return {
    differs: changed.length > 0,
    isNoticed: strange.length > 0 || changed.some(([, answer]) => 'error' in answer),
    lie: lie === undefined ? null : `${lie.call} showed ${lie.item}`,
  };
}

const isMarked = (item: string): boolean => item.includes(JSON.stringify(DAMAGED).slice(1, -1));

/** A file that cannot even be opened. */
function allFail(error: unknown): Map<string, Answer> {
  return new Map([['open', errorOf(error)]]);
}

async function check(folder: string): Promise<boolean> {
  const reader = openReader(folder);
  try {
    const report: { problem_count: number } = JSON.parse(await reader.raw('loom.fsck', {}));
    return report.problem_count > 0;
  } finally {
    reader.close();
  }
}

/** A bit of the database or, one time in five, of an output. */
function chooseBit(home: string, random: () => number): { file: string; offset: number; bit: number } {
  const outputs = readdirSync(join(home, 'outputs')).flatMap((folder) =>
    readdirSync(join(home, 'outputs', folder)).map((name) => join('outputs', folder, name)),
  );
  const file = random() < 0.2 ? (outputs[Math.floor(random() * outputs.length)] ?? 'trees.db') : 'trees.db';
  const offset = Math.floor(random() * statSync(join(home, file)).size);
  return { file, offset, bit: Math.floor(random() * 8) };
}

function copyHome(home: string, copy: string): void {
  rmSync(copy, { recursive: true, force: true });
  cpSync(join(home, 'outputs'), join(copy, 'outputs'), { recursive: true });
  cpSync(join(home, 'trees.db'), join(copy, 'trees.db'));
}

/** Runs a test with a furnished home that nobody writes to any more. */
export function withFurnishedHome(use: (home: string, question: Question) => Promise<void>): Promise<void> {
  return withWriter(async (writer) => {
    const question = await furnishHome(writer);
    writer.store.pragma('wal_checkpoint(TRUNCATE)');
    await use(writer.folder, question);
  });
}
