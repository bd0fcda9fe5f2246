import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { Sha256 } from '../../../hub/protocol/node.js';
import { createBlobPlaces, type PlacedBlob } from '../../../tools/files/store/blob_places.js';

const PACKS = 5;

/** Digests of which many begin alike. */
function digests(count: number): Sha256[] {
  return Array.from({ length: count }, (_, index) =>
    Sha256.parse(Buffer.concat([Buffer.from([0, 0, 0, index % 7]), randomBytes(28)]).toString('hex')),
  );
}

test('what says where blobs lie finds what a map finds, whatever is set, deleted, set again or lost with its pack', () => {
  const index = createBlobPlaces();
  const known = new Map<Sha256, PlacedBlob>();
  const all = digests(5_000);
  const lookOver = (): void => {
    for (const sha256 of all) {
      expect(index.get(sha256)).toEqual(known.get(sha256) ?? null);
      expect(index.has(sha256)).toBe(known.has(sha256));
    }
    const sizes = [...known].map(([sha256, { size }]) => ({ sha256, size }));
    expect([...index.all()].sort(bySha256)).toEqual(sizes.sort(bySha256));
  };
  const setAll = (wanted: readonly Sha256[], length: number): void => {
    for (const [number, sha256] of wanted.entries()) {
      const isCompressed = number % 2 === 0;
      const place = { blockAt: number, blockLength: length, offset: 0xffffffff, size: number * 3, isCompressed };
      const blob = { ...place, pack: number % PACKS };
      index.set(sha256, blob.pack, place);
      known.set(sha256, blob);
    }
  };
  setAll(all, 1);
  lookOver();
  for (const sha256 of all.filter((_, number) => number % 3 === 0)) {
    index.delete(sha256);
    known.delete(sha256);
  }
  index.deletePack(2);
  for (const [sha256, { pack }] of known) if (pack === 2) known.delete(sha256);
  lookOver();
  setAll(all.slice(0, 1_000), 2);
  lookOver();
});

function bySha256(a: { sha256: Sha256 }, b: { sha256: Sha256 }): number {
  return a.sha256 < b.sha256 ? -1 : 1;
}
