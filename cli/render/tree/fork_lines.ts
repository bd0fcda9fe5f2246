import treeify from 'treeify';

/** Where one branch of a drawing stands. */
export interface ForkLine {
  /** What is drawn there. */
  index: number;
  /** How many levels stand before it. */
  depth: number;
  /** Of the innermost levels before it, outermost first: `|` where a line goes on downwards, else a blank. */
  bars: string;
  /** Whether it is the last branch of its fork. */
  last: boolean;
}

interface Level {
  depth: number;
  bars: string;
}

interface Piece {
  lines: ForkLine[];
  next: number;
}

type Shape = { [label: string]: Shape };

/** The most levels whose bars are kept; drawings show fewer, and say how many they leave out. */
export const BARS_MAX = 48;
// treeify recurses, so it is given pieces of so many levels, one below the other.
const PIECE_LEVELS = 40;
const SHAPE = /^((?:[│ ] {2})*)([├└])─ n(\d+)$/;

/** Lays out branches of any depth, in the order in which they are drawn. `forksOf` names the branches below one. */
export function* forkLines(
  starts: readonly number[],
  forksOf: (index: number) => readonly number[],
): Generator<ForkLine> {
  const pieces = [pieceOf(starts, { depth: 0, bars: '' }, forksOf)];
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
    if (below.length > 0) pieces.push(pieceOf(below, deeper(line, line.last ? ' ' : '|'), forksOf));
  }
}

function pieceOf(starts: readonly number[], level: Level, forksOf: (index: number) => readonly number[]): Piece {
  // The object that treeify draws. Labels are keys, so each is a name of its own that is not a number: those are reordered.
  const shapeOf = (indexes: readonly number[], levels: number): Shape => {
    const shape: Shape = {};
    for (const index of indexes) shape[`n${index}`] = levels > 1 ? shapeOf(forksOf(index), levels - 1) : {};
    return shape;
  };
  const lines: ForkLine[] = [];
  treeify.asLines(shapeOf(starts, PIECE_LEVELS), false, (text) => {
    const match = SHAPE.exec(text);
    if (match === null) throw new Error(`treeify drew an unexpected line: ${text}`);
    const [, bars = '', sign, index] = match;
    const inner = bars.replace(/(.) {2}/g, (_, bar) => (bar === ' ' ? ' ' : '|'));
    lines.push({ index: Number(index), ...deeper(level, inner), last: sign === '└' });
  });
  return { lines, next: 0 };
}

function deeper(level: Level, bars: string): Level {
  return { depth: level.depth + bars.length, bars: (level.bars + bars).slice(-BARS_MAX) };
}
