import type { Look } from '../../render/look.js';
import { renderBlock, type ShownBlock } from '../../render/transcript_block.js';
import { isFolded, type Rows, type Viewing } from './view.js';

interface KnownRows {
  width: number;
  isFolded: boolean;
  hasGap: boolean;
  rows: readonly string[];
}

/** Cuts blocks into rows, and remembers how. */
export function createRows(): (look: Look, height: number) => Rows {
  const known = new WeakMap<ShownBlock, KnownRows>();
  return (look, height) => ({
    height,
    of(view, at) {
      const block = view.blocks[at];
      if (block === undefined) return [''];
      const wanted = { width: look.width, isFolded: isFolded(view, block), hasGap: hasGap(view, at) };
      const before = known.get(block.shown);
      if (before !== undefined && isSame(before, wanted)) return before.rows;
      const rows = [...(wanted.hasGap ? [''] : []), ...renderBlock(block.shown, wanted.isFolded, look)];
      known.set(block.shown, { ...wanted, rows });
      return rows;
    },
  });
}

function isSame(before: KnownRows, wanted: Omit<KnownRows, 'rows'>): boolean {
  return before.width === wanted.width && before.isFolded === wanted.isFolded && before.hasGap === wanted.hasGap;
}

/** A blank row stands above each block but the first, and none between what takes one row each. */
function hasGap({ blocks, flipped }: Viewing, at: number): boolean {
  const [above, here] = [blocks[at - 1], blocks[at]];
  if (above === undefined || here === undefined) return false;
  const isLow = (block: typeof above): boolean =>
    (block.shown.kind === 'call' || block.shown.kind === 'thinking') && !flipped.has(block.key);
  return !(isLow(above) && isLow(here));
}
