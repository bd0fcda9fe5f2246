import fc from 'fast-check';
import { bindingOf, type PromptSettings } from '../../../hub/agent/request/prompt.js';
import { type Block, type Node, NodeId, type Settings, Sha256, TreeId } from '../../../hub/protocol/node.js';
import { signatureOf } from '../../support/model/script.js';
import { nodeId } from '../../support/skeleton.js';
import { ran } from '../../support/trees.js';

/** Nodes of real shapes, as one call appends them: a step with its results, or one node. */
export interface Appended {
  nodes: Node[];
  /** The piece above; null for the root. */
  above: Appended | null;
}

const TREE = TreeId.parse('abcdef01-0000-4000-8000-000000000000');
const HASH = Sha256.parse('0'.repeat(64));
const settingsNumbered = (number: number): Sha256 => Sha256.parse(String(number).repeat(64));

const settingsOf = (system_prompt: string, model: string): Settings => ({
  ...{ system_prompt, model, tools: [{ name: 'bash' }], level: 'plain', thinking: null },
});
/** Two settings of one model, and one of another. */
export const SETTINGS = new Map<Sha256, Settings>([
  [settingsNumbered(1), settingsOf('be brief', 'model-a')],
  [settingsNumbered(2), settingsOf('be kind', 'model-a')],
  [settingsNumbered(3), settingsOf('be brief', 'model-b')],
]);
const BINDINGS = new Map([...SETTINGS].map(([sha256, settings]) => [sha256, bindingOf(settings)]));

export function settingsNamed(sha256: Sha256 | null): PromptSettings {
  return { current: sha256 === null ? null : (SETTINGS.get(sha256) ?? null), bindings: BINDINGS };
}

type Text = Extract<Node, { kind: 'text' }>;
let count = 0;

export function textNode(role: Text['role'], blocks: Block[], settings: Sha256 | null = null): Node {
  return { ...place(), settings, kind: 'text', role, blocks };
}

export function commandNode(command: string, blocks: Block[]): Node {
  return { ...place(), kind: 'external', role: 'tool', blocks, external: ran(command) };
}

/** An assistant message and the results of those of its calls that are executed. */
export function stepNodes(blocks: Block[], executed: readonly string[], settings: Sha256 | null = null): Node[] {
  const message = textNode('assistant', blocks, settings);
  return stepOf(
    message,
    executed.map((id) => resultNode(id, [{ type: 'text', text: `did ${id}` }])),
  );
}

function resultNode(id: string, blocks: Block[]): Node {
  const external = id.endsWith('interrupted')
    ? { ...ran(id, id), exit_code: null, handle: { ...ran(id, id).handle, source: 'interrupted' } }
    : ran(id, id);
  return { ...place(), kind: 'external', role: 'tool', blocks, external };
}

function stepOf(message: Node, results: Node[]): Node[] {
  const size = 1 + results.length;
  return [message, ...results].map((node, index) => ({ ...node, step: { id: message.id, index, size } }));
}

function place() {
  count += 1;
  const id: NodeId = NodeId.parse(nodeId(count));
  return {
    id,
    tree: TREE,
    parent: null,
    created_at_ms: 0,
    step: null,
    settings: null,
    hash: HASH,
    seq: count,
    depth: 0,
  };
}

/** The nodes from the root to the end of a piece. */
export function pathTo(piece: Appended): Node[] {
  const pieces: Appended[] = [];
  for (let at: Appended | null = piece; at !== null; at = at.above) pieces.push(at);
  return pieces.reverse().flatMap(({ nodes }) => nodes);
}

const words = fc.oneof(fc.constantFrom('', ' \n', 'hello', '数据'), fc.string({ unit: 'grapheme', maxLength: 8 }));
const textBlock = words.map((text): Block => ({ type: 'text', text }));
const image = fc.constant<Block>({ type: 'image', sha256: HASH, media_type: 'image/png', width: 2, height: 2 });
const thinking = fc
  .tuple(words, fc.constantFrom('signed', 'unsigned', 'empty', 'hidden'))
  .map(([text, how]): Block => ({ type: 'thinking', text, signature: signatures[how](text) }));
const signatures = {
  signed: signatureOf,
  unsigned: () => null,
  empty: () => '',
  hidden: () => 'redacted_thinking:hidden-data',
};
const call = fc
  .tuple(fc.nat(3), fc.constantFrom('run', 'interrupted'))
  .map(
    ([number, how]): Block => ({ type: 'call', id: `call-${number}-${how}`, tool: 'bash', input: { command: 'ls' } }),
  );
/** Calls with ids and names that a server refuses. */
const oddCall = fc
  .tuple(
    fc.constantFrom(' ', 'a.b', 'ü'.repeat(200), 'toolu_1'),
    fc.constantFrom('bash', 'no such tool', 'x'.repeat(200)),
  )
  .map(([id, tool]): Block => ({ type: 'call', id, tool, input: {} }));
const settings = fc.option(fc.constantFrom(...SETTINGS.keys()), { nil: null });
const said = fc.array(fc.oneof(textBlock, image), { maxLength: 3 });

const answer = fc
  .tuple(fc.array(fc.oneof(textBlock, thinking, call), { maxLength: 6 }), fc.infiniteStream(fc.boolean()), settings)
  .map(([blocks, isExecuted, named]) => {
    const calls = blocks.flatMap((block) => (block.type === 'call' ? [block.id] : []));
    return stepNodes(
      blocks,
      calls.filter(() => isExecuted.next().value),
      named,
    );
  });

/** A step as only a file that was made by hand has it: results in any order, twice, of other calls, with images or nothing. */
const imported = fc
  .tuple(
    fc.array(fc.oneof(textBlock, thinking, call, oddCall), { maxLength: 6 }),
    fc.array(fc.tuple(fc.nat(6), said), { maxLength: 5 }),
    settings,
  )
  .map(([blocks, results, named]) => {
    const calls = blocks.flatMap((block) => (block.type === 'call' ? [block.id] : []));
    const message = textNode('assistant', blocks, named);
    return stepOf(
      message,
      results.map(([place, shown]) => resultNode(calls[place] ?? `stray-${place}`, shown)),
    );
  });

const appended: fc.Arbitrary<Node[]> = fc.oneof(
  { weight: 4, arbitrary: said.map((blocks) => [textNode('user', blocks)]) },
  { weight: 6, arbitrary: answer },
  { weight: 1, arbitrary: imported },
  { weight: 2, arbitrary: fc.tuple(words, said).map(([command, blocks]) => [commandNode(command, blocks)]) },
  { weight: 1, arbitrary: said.map((blocks) => [textNode('summary', blocks)]) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.array(fc.oneof(textBlock, call), { maxLength: 3 }), settings)
      .map(([blocks, named]) => [textNode('assistant', blocks, named)]),
  },
);

/** Random trees: each piece hangs below an earlier one, mostly the one before. */
export const trees: fc.Arbitrary<Appended[]> = fc
  .array(fc.tuple(appended, fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat())), { maxLength: 25 })
  .map((list) => {
    const pieces: Appended[] = [{ nodes: [textNode('root', [])], above: null }];
    for (const [nodes, back] of list) {
      const above = pieces[pieces.length - 1 - (back % pieces.length)] ?? null;
      pieces.push({ nodes, above });
    }
    return pieces;
  });
