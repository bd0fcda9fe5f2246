import type { Client } from '../../../hub/client/client.js';
import type { TreeId } from '../../../hub/protocol/node.js';
import { createTreeShape, type TreeShape } from './tree_shape.js';

/** A tree whose shape is read page by page, and later what was added to it. */
export interface Growing {
  grown: TreeShape;
  /** Reads on to the end; one reading at a time. */
  grow(): Promise<void>;
}

export interface GrowingParts {
  client: Client;
  tree: TreeId;
  signal: AbortSignal;
  /** Called after each page. */
  told(): void;
}

export function createGrowing({ client, tree, signal, told }: GrowingParts): Growing {
  const grown = createTreeShape();
  let cursor: string | null = null;
  return {
    grown,
    async grow() {
      for (;;) {
        const from: { cursor?: string } = cursor === null ? {} : { cursor };
        const page = await client.call('loom.tree_get_shape', { tree, ...from }, { signal });
        grown.add(page);
        cursor = page.cursor ?? (grown.count() === 0 ? null : String(grown.lastSeq()));
        told();
        if (page.cursor === null) return;
      }
    },
  };
}
