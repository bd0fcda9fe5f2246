import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Sha256 } from '../../../hub/protocol/node.js';
import { type Blobs, openBlobs } from '../../../loom/outputs/blobs.js';
import { outputPath } from '../../../loom/outputs/output_path.js';

interface Opened {
  blobs: Blobs;
  outputs: string;
  uploads: string;
}

async function withBlobs(run: (opened: Opened) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'cognition-blobs-'));
  const folders = { outputs: join(folder, 'outputs'), uploads: join(folder, 'uploads') };
  const blobs = await openBlobs({ ...folders, lease: async () => undefined });
  try {
    await run({ blobs, ...folders });
  } finally {
    await blobs.close();
    rmSync(folder, { recursive: true });
  }
}

const sha256 = (bytes: Buffer) => Sha256.parse(createHash('sha256').update(bytes).digest('hex'));

/** Writes bytes in pieces of a size, each awaited unless they are sent at once. */
async function upload(blobs: Blobs, bytes: Buffer, { size, atOnce }: { size: number; atOnce: boolean }) {
  const name = randomUUID();
  const sent = [];
  for (let offset = 0; offset === 0 || offset < bytes.length; offset += size) {
    const piece = bytes.subarray(offset, offset + size);
    const taken = blobs.write({ upload: name, offset, bytes: piece, done: offset + size >= bytes.length });
    if (!atOnce) await taken;
    sent.push(taken);
  }
  return (await Promise.all(sent)).at(-1);
}

describe('stored outputs', () => {
  test.each([
    ['nothing', 0, 10, false],
    ['one piece', 1_000, 1_000, false],
    ['many pieces one after the other', 100_000, 999, false],
    ['many pieces sent at once', 100_000, 999, true],
  ])('%s comes back byte for byte under its SHA-256', (_what, ...[length, size, atOnce]) =>
    withBlobs(async ({ blobs }) => {
      const bytes = randomBytes(length);
      const output = await upload(blobs, bytes, { size, atOnce });
      expect(output).toEqual({ sha256: sha256(bytes), size_bytes: length, total_bytes: length });
      const whole = await blobs.read({ sha256: sha256(bytes), offset: 0, limit: length + 1 });
      expect(whole.bytes.equals(bytes)).toBe(true);
      const part = await blobs.read({ sha256: sha256(bytes), offset: 10, limit: 20 });
      expect(part.bytes.equals(bytes.subarray(10, 30))).toBe(true);
    }),
  );

  test('has no name before its last piece, and leaves nothing in the uploads after it', () =>
    withBlobs(async ({ blobs, outputs, uploads }) => {
      const name = randomUUID();
      await blobs.write({ upload: name, offset: 0, bytes: Buffer.from('a'), done: false });
      expect([readdirSync(outputs), readdirSync(uploads)]).toEqual([[], [expect.any(String)]]);
      await blobs.write({ upload: name, offset: 1, bytes: Buffer.from('b'), done: true });
      expect([readdirSync(outputs), readdirSync(uploads)]).toEqual([['fb'], []]);
    }));

  test('a piece that is sent again changes nothing, the last one included', () =>
    withBlobs(async ({ blobs }) => {
      const piece = { upload: randomUUID(), offset: 0, bytes: Buffer.from('ab'), done: false };
      await blobs.write(piece);
      await blobs.write(piece);
      const last = { ...piece, offset: 2, bytes: Buffer.from('c'), done: true };
      const output = await blobs.write(last);
      expect(await blobs.write(last)).toEqual(output);
      expect(output?.sha256).toBe(sha256(Buffer.from('abc')));
    }));

  test('a piece that leaves a gap is refused with the expected offset', () =>
    withBlobs(async ({ blobs }) => {
      const name = randomUUID();
      await blobs.write({ upload: name, offset: 0, bytes: Buffer.from('ab'), done: false });
      const gap = blobs.write({ upload: name, offset: 5, bytes: Buffer.from('c'), done: false });
      await expect(gap).rejects.toMatchObject({ kind: 'conflict', details: { expected: 2 } });
      const output = await blobs.write({ upload: name, offset: 2, bytes: Buffer.from('c'), done: true });
      expect(output?.size_bytes).toBe(3);
    }));

  test('the files of unfinished uploads are removed at the next start', () =>
    withBlobs(async ({ outputs, uploads }) => {
      writeFileSync(join(uploads, randomUUID()), 'half');
      const again = await openBlobs({ outputs, uploads, lease: async () => undefined });
      expect(readdirSync(uploads)).toEqual([]);
      await again.close();
    }));

  test('a damaged one is refused whichever piece is read, also when it was damaged after a first reading', () =>
    withBlobs(async ({ blobs, outputs }) => {
      const bytes = randomBytes(3_000_000);
      await upload(blobs, bytes, { size: 1_000_000, atOnce: false });
      const read = (offset: number) => blobs.read({ sha256: sha256(bytes), offset, limit: 10 });
      expect((await read(5)).bytes).toEqual(bytes.subarray(5, 15));
      const path = outputPath(outputs, sha256(bytes));
      const damaged = Buffer.from(bytes);
      damaged[2_999_999] = (damaged[2_999_999] ?? 0) ^ 1;
      writeFileSync(path, damaged);
      for (const offset of [0, 5, 2_999_990])
        await expect(read(offset)).rejects.toMatchObject({ kind: 'storage_failed' });
      writeFileSync(path, bytes);
      expect((await read(5)).sizeBytes).toBe(3_000_000);
    }));

  test('a missing one is not found', () =>
    withBlobs(async ({ blobs }) => {
      const lost = blobs.read({ sha256: Sha256.parse('ab'.repeat(32)), offset: 0, limit: 1 });
      await expect(lost).rejects.toMatchObject({ kind: 'not_found' });
    }));

  test.each([0, 5_000])(
    'of %i bytes whose last piece is sent again while it is being stored come to be once',
    (length) =>
      withBlobs(async ({ blobs }) => {
        const bytes = randomBytes(length);
        const piece = { upload: randomUUID(), offset: 0, bytes, done: true };
        const answers = await Promise.all([blobs.write(piece), blobs.write(piece), blobs.write(piece)]);
        const output = { sha256: sha256(bytes), size_bytes: length, total_bytes: length };
        expect(answers).toEqual([output, output, output]);
      }),
  );
});
