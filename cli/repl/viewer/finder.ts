import { setImmediate } from 'node:timers/promises';
import type { ViewedBlock } from './path_blocks.js';
import type { PathWindow } from './path_window.js';

/** A block of the path that has what is searched for, and how often. */
export interface FoundBlock {
  key: string;
  at: number;
  count: number;
  /** Where it stands among all blocks of the path. */
  order: number;
}

/** Where a search goes on from: one of the places in a block, or before its first or behind its last. */
export interface SearchPlace {
  order: number;
  index: number;
}

export interface NextFound {
  block: FoundBlock;
  index: number;
  /** Whether the search went over an end of the path. */
  isAround: boolean;
}

/** Finds one text on a path; what was looked through once is remembered. */
export interface Finder {
  readonly path: PathWindow;
  readonly query: string;
  readonly width: number;
  next(from: SearchPlace, by: -1 | 1, signal: AbortSignal): Promise<NextFound | null>;
  /** Which of all places one is, from the beginning of the path on: looks through all of it. */
  tally(found: SearchPlace, signal: AbortSignal): Promise<{ place: number; total: number }>;
}

interface FinderParts {
  path: PathWindow;
  query: string;
  width: number;
  /** How often a block has it. */
  count(block: ViewedBlock): number;
}

const CHUNK_NODES = 250;
/** Looking is laid aside for whatever else is to be done when it has taken so long. */
const SLICE_MS = 8;

/** Where a block stands on its path: what was thought stands before what was said of it. */
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
        // At last the part of the first chunk that lies on the other side.
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
