import type { NodeId, TreeId } from '../../../../hub/protocol/node.js';
import type { HubSocket } from './hub_socket.js';

/** A page that is left open for a day sees many nodes: the oldest of these are asked for again. */
const KNOWN_MAX = 20_000;

/** Ids and numbers of nodes; the page knows nodes by their numbers, the hub by their ids. */
export interface NodeIds {
  note(node: { id: string; seq: number }): void;
  idOf(seq: number): Promise<NodeId>;
  seqOf(id: string): Promise<number>;
}

export function createNodeIds(hub: Pick<HubSocket, 'call'>, tree: TreeId): NodeIds {
  const ids = new Map<number, NodeId>();
  const seqs = new Map<string, number>();

  function note({ id, seq }: { id: string; seq: number }): void {
    if (isNodeId(id)) ids.set(seq, id);
    seqs.set(id, seq);
    dropOldest(ids);
    dropOldest(seqs);
  }

  return {
    note,
    async idOf(seq) {
      const known = ids.get(seq);
      if (known !== undefined) return known;
      const { nodes } = await hub.call('loom.tree_get_lines', { tree, seqs: [seq] });
      const [node] = nodes;
      if (node === undefined) throw new Error('this node is not there any more');
      note(node);
      return node.id;
    },
    async seqOf(id) {
      const known = seqs.get(id);
      if (known !== undefined) return known;
      if (!isNodeId(id)) throw new Error('this is no node');
      const { node } = await hub.call('loom.node_get', { tree, node: id });
      note(node);
      return node.seq;
    },
  };
}

function dropOldest(map: Map<unknown, unknown>): void {
  if (map.size <= KNOWN_MAX) return;
  const [oldest] = map.keys();
  map.delete(oldest);
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function isNodeId(id: string): id is NodeId {
  return UUID.test(id);
}

export function isTreeId(id: string): id is TreeId {
  return UUID.test(id);
}
