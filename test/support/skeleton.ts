import { NodeId, type SkeletonNode } from '../../hub/protocol/node.js';
import { NOW_MS } from './look.js';
import type { Picture } from './trees.js';

/** The id of the n-th node of a picture; the root is 0. */
export function nodeId(number: number): NodeId {
  return NodeId.parse(`${String(number).padStart(8, '0')}-0000-4000-8000-000000000000`);
}

/** The skeleton of a tree from a picture, as for real trees. Ids count up depth first. */
export function skeletonOf(...pictures: Picture[]): SkeletonNode[] {
  const nodes: SkeletonNode[] = [skeletonNode({ number: 0, parent: null, role: 'root', preview: '' })];
  const open = pictures.map((picture) => ({ picture, parent: nodeId(0) })).reverse();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    let parent = next.parent;
    for (const part of partsOf(next.picture)) {
      const node = { ...skeletonNode({ number: nodes.length, parent, ...part }) };
      nodes.push(node);
      parent = node.id;
    }
    for (const child of [...next.picture.children].reverse()) open.push({ picture: child, parent });
  }
  return nodes;
}

type Part = Pick<SkeletonNode, 'role' | 'preview'> & Partial<SkeletonNode>;

function partsOf(picture: Picture): Part[] {
  switch (picture.kind) {
    case 'text':
      return [{ role: picture.role, preview: picture.name }];
    case 'command':
      return [{ role: 'tool', tool: 'bash', preview: picture.name, exit_code: 0 }];
    case 'step': {
      const size = picture.commands.length + 1;
      const place = (index: number) => ({ step: { id: nodeId(9_000_000), index, size } });
      const calls = picture.commands.map((preview, index): Part => {
        return { role: 'tool', tool: 'bash', preview, exit_code: 0, ...place(index + 1) };
      });
      return [{ role: 'assistant', preview: picture.name, ...place(0) }, ...calls];
    }
  }
}

export function skeletonNode({
  number,
  parent,
  ...part
}: Part & { number: number; parent: NodeId | null }): SkeletonNode {
  return {
    ...{ id: nodeId(number), parent, seq: number, tool: null, created_at_ms: NOW_MS, step: null },
    ...{ exit_code: null, archived: false },
    ...part,
  };
}
