import type { Client } from '../../../hub/client/client.js';
import type { Node, NodeId, Tree, TreeId } from '../../../hub/protocol/node.js';
import { nodeText } from '../../render/node/node_text.js';
import type { Hit } from '../../render/tree/search_hits.js';
import { excerptOf } from '../navigator/preview_lines.js';
import { upwards } from '../tree/ancestors.js';

/** Trees of one page. */
const PAGE_MAX = 500;
const HITS_MAX = 200;
/** The most nodes that are read for a preview. */
const NODES_MAX = 50;

export interface ListRead {
  client: Client;
  archived: boolean;
  project: string;
  signal: AbortSignal;
}

/** All conversations that have been read so far, after each page; those of the project are read first. */
export async function* readConversations({ client, archived, project, signal }: ListRead): AsyncGenerator<Tree[]> {
  const trees = new Map<TreeId, Tree>();
  for (const only of [project, null]) {
    let cursor: string | null | undefined;
    do {
      const params = { archived, project: only, limit: PAGE_MAX, ...(cursor == null ? {} : { cursor }) };
      const page = await client.call('loom.tree_list', params, { signal });
      for (const tree of page.trees) if (!trees.has(tree.id)) trees.set(tree.id, tree);
      yield [...trees.values()];
      ({ cursor } = page);
    } while (cursor !== null);
  }
}

/** By conversation: the newest node in which a query occurs. */
export async function findSaid(client: Client, query: string, signal: AbortSignal): Promise<Map<TreeId, Hit>> {
  const { hits } = await client.call('loom.search', { query, archived: true, limit: HITS_MAX }, { signal });
  const found = new Map<TreeId, Hit>();
  for (const hit of hits) if (!found.has(hit.tree)) found.set(hit.tree, hit);
  return found;
}

/** The last question and its answer at a node, or at the newest end of a conversation. */
export async function previewOf(client: Client, tree: TreeId, at: NodeId | undefined): Promise<readonly string[]> {
  const node = at ?? (await client.call('loom.context_list_leaves', { tree, limit: 1 })).leaves[0]?.node.id;
  if (node === undefined) return ['(every branch is archived)'];
  const nodes: Node[] = [];
  for await (const one of upwards(client, node)) {
    if (one.role === 'root') break;
    nodes.push(one);
    if (one.role === 'user' || nodes.length >= NODES_MAX) break;
  }
  const question = nodes.at(-1);
  const answer = nodes.find((one) => one !== question && nodeText(one).trim() !== '');
  if (question === undefined) return ['(nothing has been said)'];
  const said = excerptOf(nodeText(question), '').slice(0, SAID_LINES_MAX);
  return [...said.map((line) => `> ${line}`), ...(answer === undefined ? [] : excerptOf(nodeText(answer), ''))];
}

const SAID_LINES_MAX = 3;
