import type { Client } from '../../../hub/client/client.js';
import type { TreeId } from '../../../hub/protocol/node.js';
import { createTreeShape, type TreeShape } from './tree_shape.js';

/** Reads the shape of a tree page by page, and later what was added to it. */
export interface ShapeReader {
  /** What was read so far. */
  shape: TreeShape;
  /** Reads on to the end; one reading at a time. */
  readOn(): Promise<void>;
}

interface ShapeReaderParts {
  client: Client;
  tree: TreeId;
  signal: AbortSignal;
  onPage(): void;
}

export function createShapeReader({ client, tree, signal, onPage }: ShapeReaderParts): ShapeReader {
  const shape = createTreeShape();
  let cursor: string | null = null;
  return {
    shape,
    async readOn() {
      for (;;) {
        const from: { cursor?: string } = cursor === null ? {} : { cursor };
        const page = await client.call('loom.tree_get_shape', { tree, ...from }, { signal });
        shape.add(page);
        cursor = page.cursor ?? (shape.count() === 0 ? null : String(shape.lastSeq()));
        onPage();
        if (page.cursor === null) return;
      }
    },
  };
}
