import type { Client } from '../../hub/client/client.js';
import type { Leaf, Node, NodeId } from '../../hub/protocol/node.js';
import { titledOf } from '../render/node/node_text.js';

/** Stored previews end at about this length, or a word before. */
const STORED_LENGTH = 200;
const ALIKE_LENGTH_MIN = 150;
/** How much of a text is read to tell it from others, and of how many. */
const READ_LENGTH_MAX = 20_000;
const READ_NODES_MAX = 100;
/** The nodes of a branch among which its first message is looked for. */
const FIRST_NODES = 50;

/** Nodes with their previews; where stored previews are alike to their end, from the word in which the texts differ. */
export async function withLongerPreviews<T extends { id: NodeId; preview: string }>(
  client: Client,
  nodes: readonly T[],
): Promise<T[]> {
  const previews = await longerPreviews(
    nodes.map((node) => ({ node, preview: node.preview })),
    async ({ node }) => (await client.call('loom.node_get', { node: node.id })).node,
  );
  return nodes.map((node, index) => ({ ...node, preview: previews[index] ?? node.preview }));
}

/** The same for the ends of branches, which are told by the first message behind their fork. */
export async function withLongerWords(client: Client, leaves: readonly Leaf[]): Promise<Leaf[]> {
  const words = await longerPreviews(
    leaves.map((leaf) => ({ leaf, preview: leaf.differs })),
    ({ leaf }) => firstMessage(client, leaf),
  );
  return leaves.map((leaf, index) => ({ ...leaf, differs: words[index] ?? leaf.differs }));
}

async function firstMessage(client: Client, { node: { id }, fork }: Leaf): Promise<Node> {
  const { node: top } = await client.call('loom.node_get', { node: fork });
  const params = { node: id, from_depth: top.depth + 1, limit: FIRST_NODES };
  const { nodes } = await client.call('loom.context_get_path', params);
  return nodes.find(({ role }) => role === 'user') ?? nodes[0] ?? top;
}

async function longerPreviews<T extends { preview: string }>(
  told: readonly T[],
  read: (one: T) => Promise<Node>,
): Promise<string[]> {
  const alike = new Map<string, number[]>();
  for (const [index, { preview }] of told.entries()) {
    if (preview.length >= ALIKE_LENGTH_MIN) alike.set(preview, [...(alike.get(preview) ?? []), index]);
  }
  const longer = new Map<number, string>();
  for (const indexes of alike.values()) {
    if (indexes.length < 2 || longer.size + indexes.length > READ_NODES_MAX) continue;
    const whole = await Promise.all(indexes.map((index) => wholeText(told[index], read)));
    const start = wordStart(whole);
    for (const [at, text] of whole.entries()) {
      if (start > 0) longer.set(indexes[at] ?? 0, `…${text.slice(start, start + STORED_LENGTH).toWellFormed()}`);
    }
  }
  return told.map(({ preview }, index) => longer.get(index) ?? preview);
}

async function wholeText<T>(one: T | undefined, read: (one: T) => Promise<Node>): Promise<string> {
  return one === undefined ? '' : titledOf(await read(one), READ_LENGTH_MAX).preview;
}

/** Where the first word begins that not all texts have; 0 where they are the same. */
function wordStart([first = '', ...others]: readonly string[]): number {
  if (others.every((text) => text === first)) return 0;
  let common = 0;
  while (common < first.length && others.every((text) => text[common] === first[common])) common += 1;
  return first.lastIndexOf(' ', common - 1) + 1;
}
