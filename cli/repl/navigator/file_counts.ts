import type { Client } from '../../../hub/client/client.js';
import type { NodeId, TreeId } from '../../../hub/protocol/node.js';

/** How many files differ at nodes from those where one stands. */
export interface FileCounts {
  /** Null for none, and for those that are being counted. */
  of(nodes: readonly (NodeId | null)[]): (number | null)[];
}

export interface FileCountsParts {
  client: Client;
  tree: TreeId;
  project: string;
  position(): NodeId;
  /** Called when something has been counted. */
  onCounted(): void;
}

const NODES_AT_ONCE = 200;

/** Counts for what is visible, as `files.count` does, by what is recorded. Where that fails nothing is counted. */
export function createFileCounts({ client, tree, project, position, onCounted }: FileCountsParts): FileCounts {
  let counted = new Map<NodeId, number>();
  let from = position();
  let isCounting = false;
  let hasFailed = false;

  async function fetch(nodes: NodeId[]): Promise<void> {
    const into = counted;
    const { counts } = await client.call('files.count', { project, tree, node: from, nodes });
    for (const [at, node] of nodes.entries()) into.set(node, counts[at] ?? 0);
  }

  function count(nodes: NodeId[]): void {
    if (isCounting || hasFailed || nodes.length === 0) return;
    isCounting = true;
    const done = (): void => {
      isCounting = false;
      onCounted();
    };
    fetch(nodes).then(done, () => {
      hasFailed = true;
    });
  }

  return {
    of(nodes) {
      if (position() !== from) {
        counted = new Map();
        from = position();
      }
      const missing = nodes.flatMap((node) => (node === null || counted.has(node) ? [] : [node]));
      count(missing.slice(0, NODES_AT_ONCE));
      return nodes.map((node) => (node === null ? null : counted.get(node) || null));
    },
  };
}
