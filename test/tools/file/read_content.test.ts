import { expect, test } from 'vitest';
import type { ByteSource } from '../../../tools/file/content/byte_source.js';
import { type ContentRequest, headAndTail, readContent } from '../../../tools/file/read_content.js';

const { signal } = new AbortController();
const LARGE = 9_000_000;

/** A source of so many bytes of lines; it holds no more than the requested part. */
function sourceOf(sizeBytes: number, holdsBytes: () => number): ByteSource {
  return {
    sizeBytes,
    read: async (offset, length) => Buffer.alloc(Math.max(0, Math.min(length, holdsBytes() - offset)), 'seven!\n'),
  };
}

function whole(keptBytesMax: number): ContentRequest {
  const shrinkImage = () => Promise.reject(new Error('it is no image'));
  return { name: 'file', offset: 1, limit: null, keptBytesMax, shrinkImage, signal };
}

async function sizesOf(pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<number[]> {
  const sizes: number[] = [];
  for await (const piece of pieces) sizes.push(piece.length);
  return sizes;
}

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);

test('a large file is streamed in small pieces, as they are consumed', async () => {
  const { stored: kept } = await readContent(
    sourceOf(LARGE, () => LARGE),
    whole(10_000_000),
  );
  const sizes = await sizesOf(kept?.pieces ?? []);
  expect(sum(sizes)).toBe(LARGE);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(256 * 1024);
  expect(kept).toMatchObject({ totalBytes: LARGE, sha256: null });
});

test('of a file that is larger than the limit, head and tail are streamed', async () => {
  const { stored: kept } = await readContent(
    sourceOf(LARGE, () => LARGE),
    whole(6_000_001),
  );
  expect(sum(await sizesOf(kept?.pieces ?? []))).toBe(6_000_000);
  expect(kept?.totalBytes).toBe(LARGE);
  const held = headAndTail(Buffer.from('abcdefghi'), 5);
  expect(held).toMatchObject({ pieces: [Buffer.from('ab'), Buffer.from('hi')], totalBytes: 9, sha256: null });
});

test('a file that is truncated while it is streamed is reported as such', async () => {
  let holds = LARGE;
  const { stored: kept } = await readContent(
    sourceOf(LARGE, () => holds),
    whole(10_000_000),
  );
  holds = LARGE - 1;
  await expect(sizesOf(kept?.pieces ?? [])).rejects.toMatchObject({
    kind: 'conflict',
    message: 'file became shorter while it was read',
  });
});

test('a system file that states no size is not read without end', async () => {
  await expect(
    readContent(
      sourceOf(0, () => LARGE),
      whole(10_000_000),
    ),
  ).rejects.toMatchObject({
    kind: 'limit',
    message: 'file holds more than the 0 bytes that it states',
  });
  const { stored: kept } = await readContent(
    sourceOf(0, () => 70),
    whole(10_000_000),
  );
  expect(kept?.totalBytes).toBe(70);
});
