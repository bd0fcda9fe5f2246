import { randomUUID } from 'node:crypto';
import type { Client } from '../../../hub/client/client.js';
import type { ExportRecord } from '../../../hub/protocol/methods/tree_methods.js';
import { NodeId, Sha256, TreeId } from '../../../hub/protocol/node.js';
import { nodeHash } from '../../../loom/store/node_hash.js';

const BATCH = 2_000;
const START_MS = Date.UTC(2026, 0, 1);

/** The parent of each node by its number; the root is 0. */
export type Parents = (number: number) => number;

export const chain: Parents = (number) => number - 1;

/** Half of the nodes go on where the newest is, the others begin a branch anywhere before: the same tree each time. */
export const bushy: Parents = (number) => (number % 2 === 0 ? number - 1 : ((number * 2_654_435_761) >>> 0) % number);

/** Gives a home a tree of so many messages, a person's each fourth, as an import does. */
export async function importTree(client: Client, count: number, parentOf: Parents): Promise<TreeId> {
  const tree = TreeId.parse(randomUUID());
  const created_at_ms = START_MS;
  const head = { id: tree, name: null, project: null, owner: null, created_at_ms };
  let records: ExportRecord[] = [{ kind: 'tree', format: 1, tree: head }];
  const above: { id: NodeId; hash: string }[] = [];
  for (let number = 0; number < count; number += 1) {
    const parent = number === 0 ? undefined : above[parentOf(number)];
    const blocks = number === 0 ? [] : [{ text: textOf(number), type: 'text' as const }];
    const node = {
      ...{ id: number === 0 ? NodeId.parse(tree) : NodeId.parse(randomUUID()), tree, parent: parent?.id ?? null },
      ...{ created_at_ms: START_MS + number * 7_000, step: null, settings: null, role: roleOf(number) },
    };
    const hash = nodeHash(parent?.hash ?? null, {
      ...node,
      blocks: JSON.stringify(blocks),
      external: null,
      meta: null,
    });
    above.push({ id: node.id, hash });
    records.push({ kind: 'node', node: { ...node, kind: 'text', blocks, hash: Sha256.parse(hash) } });
    if (records.length < BATCH) continue;
    await client.call('loom.tree_import', { tree, records, done: false });
    records = [];
  }
  await client.call('loom.tree_import', { tree, records, done: true });
  return tree;
}

function roleOf(number: number): 'root' | 'user' | 'assistant' {
  if (number === 0) return 'root';
  return number % 4 === 1 ? 'user' : 'assistant';
}

function textOf(number: number): string {
  return `Message ${number}: the importer takes **41 s** for the sample, most of it in \`splitLine\`, which is called once for each line.`;
}
