import { setImmediate } from 'node:timers/promises';
import type { ViewedBlock } from './path_blocks.js';
import type { PathWindow } from './path_window.js';

/** A block with matches, and their number. */
export interface FoundBlock {
  key: string;
  at: number;
  count: number;
  /** Its order among the blocks of the path. */
  order: number;
}

/** Where a search continues: at a match of a block, or before or after all of them. */
export interface SearchPlace {
  order: number;
  index: number;
}

export interface NextFound {
  block: FoundBlock;
  index: number;
  /** Whether the search wrapped around. */
  isAround: boolean;
}

/** Searches a path for one text; results are cached. */
export interface Finder {
  readonly path: PathWindow;
  readonly query: string;
  readonly width: number;
  next(from: SearchPlace, by: -1 | 1, signal: AbortSignal): Promise<NextFound | null>;
  /** The number of a match, counted from the start of the whole path. */
  tally(found: SearchPlace, signal: AbortSignal): Promise<{ place: number; total: number }>;
}

interface FinderParts {
  path: PathWindow;
  query: string;
  width: number;
  /** The number of matches in a block. */
  count(block: ViewedBlock): number;
}

const CHUNK_NODES = 250;
/** A search yields to other work after this time. */
const SLICE_MS = 8;

/** The order of a block on its path: thinking precedes its answer. */
export function orderOf({ at, shown }: ViewedBlock): number {
  return at * 2 + (shown.kind === 'thinking' ? 0 : 1);
}

export function createFinder({ path, query, width, count }: FinderParts): Finder {
  const chunks = new Map<number, readonly FoundBlock[]>();
  const chunksInAll = Math.max(1, Math.ceil(path.length / CHUNK_NODES));
  const look = async (chunk: number, signal: AbortSignal): Promise<readonly FoundBlock[]> => {
    const before = chunks.get(chunk);
    if (before !== undefined) return before;
    const start = chunk * CHUNK_NODES;
    const blocks = await path.blocks({ start, end: Math.min(path.length, start + CHUNK_NODES) }, signal);
    const found: FoundBlock[] = [];
    let sinceMs = performance.now();
    for (const block of blocks) {
      const times = count(block);
      if (times > 0) found.push({ key: block.key, at: block.at, count: times, order: orderOf(block) });
      if (performance.now() - sinceMs < SLICE_MS) continue;
      await setImmediate();
      signal.throwIfAborted();
      sinceMs = performance.now();
    }
    chunks.set(chunk, found);
    return found;
  };
  return {
    ...{ path, query, width },
    async next(from, by, signal) {
      const first = Math.min(chunksInAll - 1, Math.floor(from.order / 2 / CHUNK_NODES));
      for (let step = 0; step <= chunksInAll; step += 1) {
        const place = first + by * step;
        const found = await look((place + chunksInAll) % chunksInAll, signal);
        // Finally, the other part of the first chunk.
        const isAround = place < 0 || place >= chunksInAll;
        const hit = step === 0 || !isAround ? beyond(found, from, by) : endOf(found, by);
        if (hit !== null) return { ...hit, isAround };
      }
      return null;
    },
    async tally(at, signal) {
      let [place, total] = [0, 0];
      for (let chunk = 0; chunk < chunksInAll; chunk += 1) {
        for (const { order, count: times } of await look(chunk, signal)) {
          if (order < at.order) place += times;
          total += times;
        }
      }
      return { place: place + at.index + 1, total };
    },
  };
}

function beyond(found: readonly FoundBlock[], from: SearchPlace, by: -1 | 1): Omit<NextFound, 'isAround'> | null {
  const here = found.find(({ order }) => order === from.order);
  const index = from.index + by;
  if (here !== undefined && index >= 0 && index < here.count) return { block: here, index };
  const block =
    by < 0 ? found.findLast(({ order }) => order < from.order) : found.find(({ order }) => order > from.order);
  return block === undefined ? null : { block, index: by < 0 ? block.count - 1 : 0 };
}

function endOf(found: readonly FoundBlock[], by: -1 | 1): Omit<NextFound, 'isAround'> | null {
  const block = by < 0 ? found.at(-1) : found[0];
  return block === undefined ? null : { block, index: by < 0 ? block.count - 1 : 0 };
}
