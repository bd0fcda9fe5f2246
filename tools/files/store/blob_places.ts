import type { Sha256 } from '../../../hub/protocol/node.js';
import { createDigestTable } from './digest_table.js';
import type { BlobPlace } from './pack_file.js';

/** Where a blob lies: in which pack, by its number, and where there. */
export interface PlacedBlob extends BlobPlace {
  pack: number;
}

/** Where all blobs lie. In columns: as objects those of a large project would take thirty megabytes. */
export interface BlobPlaces {
  get(sha256: Sha256): PlacedBlob | null;
  has(sha256: Sha256): boolean;
  set(sha256: Sha256, pack: number, place: BlobPlace): void;
  delete(sha256: Sha256): void;
  /** Forgets what lies in a pack. */
  deletePack(pack: number): void;
  all(): Generator<{ sha256: Sha256; size: number }>;
}

/** Columns of a row: block, its length, offset, size, and the pack with whether it is compressed. */
const FIELDS = 5;
const [SIZE, PACK] = [3, 4];
const ROWS_AT_FIRST = 1_024;
/** The pack of a blob that is gone. */
const GONE = 0xffffffff;

export function createBlobPlaces(): BlobPlaces {
  const digests = createDigestTable();
  let fields = new Uint32Array(ROWS_AT_FIRST * FIELDS);

  const packAt = (row: number): number => fields[row * FIELDS + PACK] ?? GONE;

  function livingRow(sha256: Sha256): number {
    const row = digests.rowOf(sha256);
    return row >= 0 && packAt(row) !== GONE ? row : -1;
  }

  function setRow(row: number, values: readonly number[]): void {
    if ((row + 1) * FIELDS > fields.length) {
      const larger = new Uint32Array(2 * fields.length);
      larger.set(fields);
      fields = larger;
    }
    fields.set(values, row * FIELDS);
  }

  return {
    has: (sha256) => livingRow(sha256) >= 0,
    get(sha256) {
      const row = livingRow(sha256);
      if (row < 0) return null;
      const [blockAt = 0, blockLength = 0, offset = 0, size = 0, pack = 0] = fields.subarray(row * FIELDS);
      return { blockAt, blockLength, offset, size, pack: pack >>> 1, isCompressed: (pack & 1) === 1 };
    },
    set(sha256, pack, { blockAt, blockLength, offset, size, isCompressed }) {
      setRow(digests.add(sha256), [blockAt, blockLength, offset, size, 2 * pack + Number(isCompressed)]);
    },
    delete(sha256) {
      const row = livingRow(sha256);
      if (row >= 0) fields[row * FIELDS + PACK] = GONE;
    },
    deletePack(pack) {
      for (let row = 0; row < digests.rows(); row += 1) {
        if (packAt(row) >>> 1 === pack) fields[row * FIELDS + PACK] = GONE;
      }
    },
    *all() {
      for (let row = 0; row < digests.rows(); row += 1) {
        if (packAt(row) !== GONE) yield { sha256: digests.at(row), size: fields[row * FIELDS + SIZE] ?? 0 };
      }
    },
  };
}
