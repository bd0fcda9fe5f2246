import type { Sha256 } from '../../hub/protocol/node.js';
import type { Store } from '../store/store.js';
import { type NodeRange, rowsWithin } from './node_rows.js';

const LINKS = `SELECT o.node, lower(hex(o.sha256)) AS sha256 FROM node_outputs o WHERE o.node > ? AND o.node <= ?`;
const LINKS_OF_TREE = `
  SELECT o.node, lower(hex(o.sha256)) AS sha256 FROM nodes n CROSS JOIN node_outputs o ON o.node = n.seq
  WHERE n.tree = ? AND n.seq > ? AND n.seq <= ? ORDER BY n.seq`;
const NAMED_EARLIER = 'SELECT 1 FROM node_outputs o WHERE o.sha256 = ? AND o.node < ? LIMIT 1';
const NAMED_EARLIER_IN_TREE = `
  SELECT 1 FROM node_outputs o CROSS JOIN nodes m ON m.seq = o.node
  WHERE o.sha256 = ? AND o.node < ? AND m.tree = ? LIMIT 1`;

/** A stored output and a node that points at it. */
export interface OutputLink {
  node: number;
  sha256: Sha256;
}

/** The links of a range whose output no earlier node points at, so that each output is listed once. */
export function firstOutputLinks(store: Store, range: NodeRange): OutputLink[] {
  const links = rowsWithin<OutputLink>(store, range, { all: LINKS, ofTree: LINKS_OF_TREE });
  return links.filter((link) => !isNamedEarlier(store, range.tree, link));
}

function isNamedEarlier(store: Store, tree: number | null, { node, sha256 }: OutputLink): boolean {
  const blob = Buffer.from(sha256, 'hex');
  if (tree === null) return store.get(NAMED_EARLIER, blob, node) !== undefined;
  return store.get(NAMED_EARLIER_IN_TREE, blob, node, tree) !== undefined;
}
