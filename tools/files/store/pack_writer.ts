import { brotliCompressSync, constants } from 'node:zlib';
import { noteYoungGarbage } from '../../../hub/base/memory/free_garbage.js';
import type { Sha256 } from '../../../hub/protocol/node.js';
import { type BlobPlace, createPackDraft, type PackDraft, type PackRows } from './pack_file.js';

/** What is stored in compressed blocks, and what is not: walking trees is quick only where nothing is decompressed for it. */
export type BlobForm = 'compressed' | 'plain';

/** Bringing a file back decompresses its block: with twice as much that takes twice as long, and packs are 8 % smaller. */
const BLOCK_BYTES = 32 * 1024;
const PACK_BYTES = 64 * 1024 * 1024;

/** A block that is filled: its buffer is used for one after the other. */
interface OpenBlock {
  blobs: { sha256: Sha256; size: number }[];
  buffer: Buffer;
  bytes: number;
}

function openBlock(): OpenBlock {
  return { blobs: [], buffer: Buffer.alloc(0), bytes: 0 };
}

/** Collects blobs into blocks, and blocks into packs. */
export function startWriting(folder: string, admit: (name: Sha256, rows: PackRows) => void) {
  const open: Record<BlobForm, OpenBlock> = { compressed: openBlock(), plain: openBlock() };
  const pending = new Set<Sha256>();
  let draft: PackDraft | null = null;
  let rows: PackRows = new Map();
  let counts = { blobs: 0, bytes: 0 };

  function endBlock(form: BlobForm): void {
    const { blobs, buffer, bytes } = open[form];
    open[form] = { blobs: [], buffer, bytes: 0 };
    if (blobs.length === 0) return;
    const raw = buffer.subarray(0, bytes);
    const packed = form === 'plain' ? raw : compress(raw);
    const isCompressed = packed.length < raw.length;
    const block = isCompressed ? packed : raw;
    draft ??= createPackDraft(folder);
    const blockAt = draft.length();
    noteBlobs(rows, blobs, { blockAt, blockLength: block.length, isCompressed });
    draft.write(block);
    if (draft.length() >= PACK_BYTES) endPack();
  }

  function endPack(): void {
    if (draft === null) return;
    const name = draft.finish(rows);
    admit(name, rows);
    for (const sha256 of rows.keys()) pending.delete(sha256);
    draft = null;
    rows = new Map();
  }

  return {
    has: (sha256: Sha256) => pending.has(sha256),
    /** Copies the bytes: what they are read into may be used again. */
    add({ sha256, bytes }: { sha256: Sha256; bytes: Buffer }, form: BlobForm): void {
      if (pending.has(sha256)) return;
      pending.add(sha256);
      counts.blobs += 1;
      counts.bytes += bytes.length;
      const block = open[form];
      block.blobs.push({ sha256, size: bytes.length });
      append(block, bytes);
      if (block.bytes >= BLOCK_BYTES) endBlock(form);
    },
    finish(): void {
      endBlock('compressed');
      endBlock('plain');
      endPack();
      counts = { blobs: 0, bytes: 0 };
    },
    /** Forgets what no finished pack holds. */
    abandon(): void {
      for (const form of ['compressed', 'plain'] as const) open[form] = openBlock();
      draft?.abandon();
      draft = null;
      rows = new Map();
      pending.clear();
      counts = { blobs: 0, bytes: 0 };
    },
    counts: () => ({ ...counts }),
  };
}

function noteBlobs(
  rows: PackRows,
  blobs: OpenBlock['blobs'],
  { blockAt, blockLength, isCompressed }: Omit<BlobPlace, 'offset' | 'size'>,
): void {
  let offset = 0;
  for (const { sha256, size } of blobs) {
    rows.set(sha256, { blockAt, blockLength, isCompressed, offset, size });
    offset += size;
  }
}

function append(block: OpenBlock, bytes: Buffer): void {
  const length = block.bytes + bytes.length;
  if (length > block.buffer.length) {
    const larger = Buffer.allocUnsafe(Math.max(length, 2 * BLOCK_BYTES, 2 * block.buffer.length));
    block.buffer.copy(larger, 0, 0, block.bytes);
    block.buffer = larger;
  }
  bytes.copy(block.buffer, block.bytes);
  block.bytes = length;
}

function compress(raw: Buffer): Buffer {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_SIZE_HINT]: raw.length };
  const packed = brotliCompressSync(raw, { params });
  // In pieces, and then as one.
  noteYoungGarbage(2 * packed.length);
  return packed;
}
