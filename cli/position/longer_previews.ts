import type { Client } from '../../hub/client/client.js';
import type { Leaf, Node, NodeId } from '../../hub/protocol/node.js';
import { titledOf } from '../render/node/node_text.js';

/** Stored previews end at about this length, or a word before. */
const STORED_LENGTH = 200;
const ALIKE_LENGTH_MIN = 150;
/** How much of a text is read to tell it from others, and of how many. */
const READ_LENGTH_MAX = 20_000;
const READ_NODES_MAX = 100;
/** Longer words are cut where the texts differ. */
const WORD_LENGTH_MAX = 40;
/** The nodes of a branch among which its first message is looked for. */
const FIRST_NODES = 50;

/** Nodes with their previews; where those of siblings are alike to their end, from the word in which the texts differ. */
export async function withLongerPreviews<T extends { id: NodeId; parent: NodeId | null; preview: string }>(
  client: Client,
  nodes: readonly T[],
): Promise<T[]> {
  const previews = await longerPreviews(
    nodes.map((node) => ({ node, fork: node.parent, preview: node.preview })),
    async ({ node }) => (await client.call('loom.node_get', { node: node.id })).node,
  );
  return nodes.map((node, index) => ({ ...node, preview: previews[index] ?? node.preview }));
}

/** The same for the ends of branches, which are told by the first message behind their fork. */
export async function withLongerWords(client: Client, leaves: readonly Leaf[]): Promise<Leaf[]> {
  const words = await longerPreviews(
    leaves.map((leaf) => ({ leaf, fork: null, preview: leaf.differs })),
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

/** A preview, told apart from others at the same fork. */
interface Told {
  fork: NodeId | null;
  preview: string;
}

async function longerPreviews<T extends Told>(told: readonly T[], read: (one: T) => Promise<Node>): Promise<string[]> {
  const previews = told.map(({ preview }) => preview);
  for (const indexes of alikePreviews(told)) {
    const whole = await Promise.all(indexes.map((index) => wholeText(told[index], read)));
    for (const [at, text] of fromDifference(whole)?.entries() ?? []) previews[indexes[at] ?? 0] = text;
  }
  return previews;
}

async function wholeText<T>(one: T | undefined, read: (one: T) => Promise<Node>): Promise<string> {
  return one === undefined ? '' : comparedText(await read(one));
}

/** Groups of previews that are alike to the end of what is stored, as indexes. */
export function alikePreviews(told: readonly Told[]): number[][] {
  const alike = new Map<string, number[]>();
  for (const [index, { fork, preview }] of told.entries()) {
    const key = `${fork} ${preview}`;
    if (preview.length >= ALIKE_LENGTH_MIN) alike.set(key, [...(alike.get(key) ?? []), index]);
  }
  const groups: number[][] = [];
  let length = 0;
  for (const indexes of alike.values()) {
    if (indexes.length < 2 || length + indexes.length > READ_NODES_MAX) continue;
    length += indexes.length;
    groups.push(indexes);
  }
  return groups;
}

/** A node's text as far as it is compared with others. */
export const comparedText = (node: Node): string => titledOf(node, READ_LENGTH_MAX).preview;

/** Texts from the first word in which they differ; null where they are the same. */
export function fromDifference(texts: readonly string[]): string[] | null {
  const start = differenceStart(texts);
  return start === 0 ? null : texts.map((text) => `…${text.slice(start, start + STORED_LENGTH).toWellFormed()}`);
}

/** Where the first word begins that not all texts have; 0 where they are the same. */
function differenceStart([first = '', ...others]: readonly string[]): number {
  if (others.every((text) => text === first)) return 0;
  let common = 0;
  while (common < first.length && others.every((text) => text[common] === first[common])) common += 1;
  const word = first.lastIndexOf(' ', common - 1) + 1;
  if (common - word <= WORD_LENGTH_MAX) return word;
  // Text without spaces: not between the halves of one character.
  return /[\uD800-\uDBFF]/.test(first[common - 1] ?? '') ? common - 1 : common;
}
