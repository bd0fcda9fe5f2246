import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { PortableNode } from '../../hub/protocol/node.js';
import { nodeHash } from '../../loom/store/node_hash.js';
import { openDatabase } from '../../loom/store/open_database.js';
import { idBlob } from '../../loom/store/rows.js';
import type { Store } from '../../loom/store/store.js';
import { withFolder } from '../support/hub.js';

/** As many as one page of a fetch. */
const PAGE = 2_000;
const INSERT = `INSERT INTO nodes (seq, id, tree, parent, depth, role, created_at_ms, hash, preview, blocks)
  VALUES (?, ?, 1, ?, ?, ?, ?, ?, ?, ?)`;

/**
 * How long the least takes that any fetch must do with these bodies of text nodes: parse them, prove their hashes, and write them with their
 * indexes, on the disk after each page. There is no other thread and no hub in it, and nothing that lists, counts or tells of nodes.
 */
export function leastFetchMs(bodies: readonly string[]): Promise<number> {
  return withFolder(async (folder) => {
    const store = openDatabase(join(folder, 'trees.db'), randomUUID());
    const tree = `INSERT INTO trees (id, origin, created_at_ms, updated_at_ms, last_seq) VALUES (?, '{}', 0, 0, 0)`;
    store.run(tree, idBlob(randomUUID()));
    const stored: Stored = new Map();
    const startedAt = performance.now();
    for (let from = 0; from < bodies.length; from += PAGE) {
      store.run('BEGIN IMMEDIATE');
      for (const body of bodies.slice(from, from + PAGE)) for (const node of nodesOf(body)) add(store, stored, node);
      store.run('COMMIT');
    }
    const ms = performance.now() - startedAt;
    store.close();
    return ms;
  });
}

type Stored = Map<string, { seq: number; hash: string }>;

function add(store: Store, stored: Stored, { kind: _, hash, ...node }: PortableNode): void {
  const above = node.parent === null ? undefined : stored.get(node.parent);
  const blocks = JSON.stringify(node.blocks);
  const proven = nodeHash(above?.hash ?? null, { ...node, blocks, external: null, meta: null });
  if (proven !== hash) throw new Error(`node ${node.id} does not prove`);
  const seq = stored.size + 1;
  const values = [seq, idBlob(node.id), above?.seq ?? null, seq, node.role, node.created_at_ms];
  store.run(INSERT, ...values, Buffer.from(hash, 'hex'), blocks, blocks);
  stored.set(node.id, { seq, hash });
}

function nodesOf(body: string): PortableNode[] {
  const { records = [] }: { records?: { kind: string; node: PortableNode }[] } = JSON.parse(body);
  return records.flatMap(({ kind, node }) => (kind === 'node' ? [node] : []));
}
