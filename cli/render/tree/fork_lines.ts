import treeify, { type TreeObject } from 'treeify';

/** One branch of a drawing. */
export interface ForkLine {
  /** Which branch is drawn. */
  index: number;
  /** How many levels stand above it. */
  depth: number;
  /** Whether it is the last branch of its fork. */
  last: boolean;
  /** What treeify draws before it: a guide of GUIDE_COLUMNS for each of the innermost levels, its own last. */
  guides: string;
}

interface Level {
  depth: number;
  guides: string;
}

interface Piece {
  lines: ForkLine[];
  next: number;
}

/** The columns of one guide, such as `├─ `, as treeify draws it. */
export const GUIDE_COLUMNS = 3;
/** The most levels whose guides are kept; drawings show fewer, and say how many they leave out. */
export const GUIDES_MAX = 48;
// treeify recurses, so it is given pieces of so many levels, one below the other.
const PIECE_LEVELS = 40;

/** Lays out branches of any depth, in the order in which they are drawn. `forksOf` names the branches below one. */
export function* forkLines(
  starts: readonly number[],
  forksOf: (index: number) => readonly number[],
): Generator<ForkLine> {
  const pieces = [pieceOf(starts, { depth: 0, guides: '' }, forksOf)];
  for (let piece = pieces.at(-1); piece !== undefined; piece = pieces.at(-1)) {
    const line = piece.lines[piece.next];
    piece.next += 1;
    if (line === undefined) {
      pieces.pop();
      continue;
    }
    yield line;
    const pieceDepth = piece.lines[0]?.depth ?? 0;
    if (line.depth - pieceDepth < PIECE_LEVELS - 1) continue;
    const below = forksOf(line.index);
    const level = { depth: line.depth + 1, guides: guidesBelow(line) };
    if (below.length > 0) pieces.push(pieceOf(below, level, forksOf));
  }
}

/** The guides of what stands below a branch: its own goes on as a bar, or as a blank where it was the last. */
export function guidesBelow({ guides, last }: ForkLine): string {
  return guides.slice(0, -GUIDE_COLUMNS) + (last ? '   ' : '│  ');
}

/** The first levels of some branches. Lines come in the order of the object's keys, so each one's branch is known. */
function pieceOf(starts: readonly number[], above: Level, forksOf: (index: number) => readonly number[]): Piece {
  const branches: Omit<ForkLine, 'guides'>[] = [];
  const objectOf = (indexes: readonly number[], level: number): TreeObject => {
    const object: TreeObject = {};
    for (const index of indexes) {
      branches.push({ index, depth: above.depth + level, last: index === indexes.at(-1) });
      object[keyOf(index)] = level + 1 < PIECE_LEVELS ? objectOf(forksOf(index), level + 1) : {};
    }
    return object;
  };
  const object = objectOf(starts, 0);
  const guides: string[] = [];
  treeify.asLines(object, false, (line) => {
    guides.push(line);
  });
  const lines = branches.map((branch, order) => {
    const own = (guides[order] ?? '').slice(0, -keyOf(branch.index).length);
    return { ...branch, guides: (above.guides + own).slice(-GUIDES_MAX * GUIDE_COLUMNS) };
  });
  return { lines, next: 0 };
}

// A key that looks like a number would be moved to the front.
function keyOf(index: number): string {
  return `n${index}`;
}
