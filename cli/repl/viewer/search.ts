import { blockText } from '../../render/transcript_block.js';
import type { ViewedBlock } from './blocks.js';
import type { Viewing } from './view.js';
import type { PathWindow } from './window.js';

const PAGE_NODES = 500;

/** The nearest block before or behind the chosen one that has a text in it; null when there is none. */
export async function nextMatch(
  view: Viewing,
  { query, by, path, signal }: { query: string; by: -1 | 1; path: PathWindow; signal: AbortSignal },
): Promise<ViewedBlock | null> {
  const wanted = query.toLowerCase();
  const has = ({ shown }: ViewedBlock): boolean => blockText(shown).toLowerCase().includes(wanted);
  for (let at = view.chosen + by; at >= 0 && at < view.blocks.length; at += by) {
    const block = view.blocks[at];
    if (block !== undefined && has(block)) return block;
  }
  let { start, end } = view.span;
  while (by < 0 ? start > 0 : end < path.length) {
    const span =
      by < 0
        ? { start: Math.max(0, start - PAGE_NODES), end: start }
        : { start: end, end: Math.min(path.length, end + PAGE_NODES) };
    const blocks = await path.blocks(span, signal);
    const found = by < 0 ? blocks.findLast(has) : blocks.find(has);
    if (found !== undefined) return found;
    start = span.start;
    end = span.end;
  }
  return null;
}
