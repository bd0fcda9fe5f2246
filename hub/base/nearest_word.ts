/** The candidate most like a mistyped word, ignoring case; null when none is near. */
export function nearest(word: string, candidates: readonly string[]): string | null {
  if (word.length > 100) return null;
  let best: string | null = null;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** How many letters must be added, removed or changed, or neighbours swapped, to turn one word into the other. */
function editDistance(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, column) => column);
  let aboveThat: number[] = [];
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const changed = (above[column - 1] ?? 0) + (to[column - 1] === from[row - 1] ? 0 : 1);
      const isSwap = row > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const swapped = isSwap ? (aboveThat[column - 2] ?? 0) + 1 : changed;
      current.push(Math.min(changed, swapped, (above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    aboveThat = above;
    above = current;
  }
  return above[to.length] ?? 0;
}
