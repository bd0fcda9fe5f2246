import { Sha256 } from '../../../hub/protocol/node.js';

/** Digests, each with its row: rows are counted up from 0, and stay. */
export interface DigestTable {
  /** -1 for a digest that has none. */
  rowOf(sha256: Sha256): number;
  /** The row of a digest, which gets one when it has none. */
  add(sha256: Sha256): number;
  rows(): number;
  at(row: number): Sha256;
}

const BYTES = 32;
const WORDS = BYTES / 4;
const ROWS_AT_FIRST = 1_024;

export function createDigestTable(): DigestTable {
  const wanted = Buffer.alloc(BYTES);
  const wantedWords = wordsIn(wanted);
  let rows = 0;
  let digests = Buffer.alloc(ROWS_AT_FIRST * BYTES);
  let words = wordsIn(digests);
  /** Rows plus one, each at the first free place from the one on that its digest begins with. */
  let table = new Uint32Array(2 * ROWS_AT_FIRST);

  function isWanted(row: number): boolean {
    for (let word = 0; word < WORDS; word += 1) if (words[row * WORDS + word] !== wantedWords[word]) return false;
    return true;
  }

  /** Where the table names the wanted digest, or is to name it. */
  function place(): number {
    const mask = table.length - 1;
    let at = (wantedWords[0] ?? 0) & mask;
    for (let row = table[at] ?? 0; row !== 0 && !isWanted(row - 1); row = table[at] ?? 0) at = (at + 1) & mask;
    return at;
  }

  function grow(): void {
    const larger = Buffer.alloc(2 * digests.length);
    digests.copy(larger);
    digests = larger;
    words = wordsIn(digests);
    table = new Uint32Array(2 * table.length);
    for (let row = 0; row < rows; row += 1) {
      digests.copy(wanted, 0, row * BYTES);
      table[place()] = row + 1;
    }
  }

  function rowOf(sha256: Sha256): number {
    wanted.write(sha256, 'hex');
    return (table[place()] ?? 0) - 1;
  }

  return {
    rowOf,
    add(sha256) {
      const known = rowOf(sha256);
      if (known >= 0) return known;
      if (rows * BYTES === digests.length) grow();
      wanted.write(sha256, 'hex');
      wanted.copy(digests, rows * BYTES);
      rows += 1;
      table[place()] = rows;
      return rows - 1;
    },
    rows: () => rows,
    at: (row) => Sha256.parse(digests.toString('hex', row * BYTES, (row + 1) * BYTES)),
  };
}

function wordsIn(bytes: Buffer): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
}
