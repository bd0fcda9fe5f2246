import type { SkeletonNode } from '../../hub/protocol/node.js';

/** A tree ready to be drawn: what is not drawn is left out, and every node knows its children. */
export interface Outline {
  nodes: readonly SkeletonNode[];
  /** The children of the node at an index, as indexes, in the order in which they were made. */
  childrenOf(index: number): readonly number[];
  /** The index of a drawn node; undefined for any other id. */
  indexOf(id: string): number | undefined;
}

const NONE: readonly number[] = [];

/** Takes the nodes of one tree, parents before their children. */
export function outlineOf(skeleton: Iterable<SkeletonNode>): Outline {
  const nodes: SkeletonNode[] = [];
  const children: (number[] | undefined)[] = [];
  const places = new Map<string, number>();
  for (const node of skeleton) {
    const above = node.parent === null ? undefined : places.get(node.parent);
    if (isSilent(node) && above !== undefined) {
      places.set(node.id, above);
      continue;
    }
    const index = nodes.push(node) - 1;
    places.set(node.id, index);
    if (above === undefined) continue;
    const siblings = children[above];
    if (siblings === undefined) children[above] = [index];
    else siblings.push(index);
  }
  return { nodes, childrenOf: (index) => children[index] ?? NONE, indexOf: (id) => places.get(id) };
}

/** The last node of a run that begins at an index: everything up to the next fork or end. */
export function runEnd(outline: Outline, start: number): number {
  let end = start;
  for (;;) {
    const [only, other] = outline.childrenOf(end);
    if (only === undefined || other !== undefined) return end;
    end = only;
  }
}

/** The nodes from one down to another of the same run. */
export function* runOf(outline: Outline, start: number, end: number): Generator<number> {
  for (let index: number | undefined = start; index !== undefined; ) {
    yield index;
    index = index === end ? undefined : outline.childrenOf(index)[0];
  }
}

/** An answer that only calls tools: its calls follow it in the same step, and they are what is drawn. */
function isSilent(node: SkeletonNode): boolean {
  return node.role === 'assistant' && node.preview === '' && node.step !== null && node.step.index === 0;
}
