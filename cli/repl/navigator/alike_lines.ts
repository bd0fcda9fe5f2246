import type { NodeId, SkeletonNode } from '../../../hub/protocol/node.js';
import { alikePreviews, fromDifference } from '../../position/longer_previews.js';

/**
 * Lines of nodes, where siblings begin alike beyond their stored previews: from the word in which their texts differ.
 * `textOf` answers with what has been read of a text, and `read` is called for what has not.
 */
export function siblingsApart(
  lines: readonly (SkeletonNode | null)[],
  textOf: (node: NodeId) => string | undefined,
  read: (nodes: NodeId[]) => void,
): (SkeletonNode | null)[] {
  const apart = [...lines];
  const missing: NodeId[] = [];
  for (const siblings of alikePreviews(
    lines.map((line) => ({ fork: line?.parent ?? null, preview: line?.preview ?? '' })),
  )) {
    const nodes = siblings.flatMap((at) => lines[at] ?? []);
    const unread = nodes.map(({ id }) => id).filter((id) => textOf(id) === undefined);
    missing.push(...unread);
    if (unread.length > 0) continue;
    const previews = fromDifference(nodes.map(({ id }) => textOf(id) ?? '')) ?? [];
    for (const [one, preview] of previews.entries()) {
      const node = nodes[one];
      if (node !== undefined) apart[siblings[one] ?? 0] = { ...node, preview };
    }
  }
  if (missing.length > 0) read(missing);
  return apart;
}
