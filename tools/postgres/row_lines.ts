import { createHash } from 'node:crypto';

/** A value as the server writes it; null for SQL's NULL. */
export type Cell = string | null;

/** One row as a line of JSON: an object by the names of the columns, every value a text or null. */
export function lineOf(columns: readonly string[], row: readonly Cell[]): string {
  const fields = uniqueNames(columns).map((name, at) => `${JSON.stringify(name)}:${JSON.stringify(row[at] ?? null)}`);
  return `{${fields.join(',')}}\n`;
}

export function byteLength(text: string): number {
  return Buffer.byteLength(text);
}

const namesOf = new WeakMap<readonly string[], string[]>();

/** Two columns may have one name: the second `a` is `a_2`. */
function uniqueNames(columns: readonly string[]): string[] {
  const cached = namesOf.get(columns);
  if (cached !== undefined) return cached;
  const taken = new Set(columns);
  const used = new Set<string>();
  const names = columns.map((column) => {
    let name = column;
    for (let number = 2; used.has(name); number += 1) {
      const next = `${column}_${number}`;
      if (!taken.has(next)) name = next;
    }
    used.add(name);
    return name;
  });
  namesOf.set(columns, names);
  return names;
}

/** How often each row occurs, in any order. */
export type RowCounts = Map<string, number>;

export function countRow(counts: RowCounts, line: string): void {
  const key = createHash('sha256').update(line).digest('base64url').slice(0, 24);
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** How many rows there are in one and not in the other. */
export function rowsBeyond(one: RowCounts, other: RowCounts): number {
  let beyond = 0;
  for (const [key, count] of one) beyond += Math.max(0, count - (other.get(key) ?? 0));
  return beyond;
}
