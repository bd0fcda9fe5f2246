import { createHash, type Hash, randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, fsyncSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { syncFile } from '../../../hub/base/disk/durable_file.js';
import { HubError } from '../../../hub/base/error.js';
import { Sha256 } from '../../../hub/protocol/node.js';

/** Where a blob lies: in a block of a pack, and there from an offset on. */
export interface BlobPlace {
  blockAt: number;
  /** Bytes of the block in the file. */
  blockLength: number;
  isCompressed: boolean;
  offset: number;
  size: number;
}

export type PackRows = Map<Sha256, BlobPlace>;

const MAGIC = 'COGPACK1';
const ROW_BYTES = 49;
const TAIL_BYTES = 4 + MAGIC.length;
const DRAFT = /^\.[0-9a-f]{16}$/;

/** A pack that is being written: blocks one after the other, then its directory. It has its name, and counts, when it is complete. */
export interface PackDraft {
  /** Where the next block begins. */
  length(): number;
  write(block: Buffer): void;
  /** Makes the pack durable under the SHA-256 of its bytes, which is returned. */
  finish(rows: PackRows): Sha256;
  /** Removes what was written. */
  abandon(): void;
}

export function createPackDraft(folder: string): PackDraft {
  const draft = join(folder, `.${randomBytes(8).toString('hex')}`);
  const fd = openSync(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  const hash: Hash = createHash('sha256');
  let length = 0;
  const write = (bytes: Buffer): void => {
    for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
    hash.update(bytes);
    length += bytes.length;
  };
  return {
    length: () => length,
    write,
    finish(rows) {
      write(encodeDirectory(rows));
      const name = Sha256.parse(hash.digest('hex'));
      fsyncSync(fd);
      closeSync(fd);
      renameSync(draft, join(folder, name));
      syncFile(folder);
      return name;
    },
    abandon() {
      closeSync(fd);
      rmSync(draft, { force: true });
    },
  };
}

/** Whether a name in a folder of packs is that of a pack which nobody finished. */
export function isDraft(name: string): boolean {
  return DRAFT.test(name);
}

function encodeDirectory(rows: PackRows): Buffer {
  const bytes = Buffer.alloc(rows.size * ROW_BYTES + TAIL_BYTES);
  let at = 0;
  for (const [sha256, { blockAt, blockLength, isCompressed, offset, size }] of rows) {
    bytes.write(sha256, at, 'hex');
    for (const [index, value] of [blockAt, blockLength, offset, size].entries()) {
      bytes.writeUInt32LE(value, at + 32 + index * 4);
    }
    bytes[at + 48] = isCompressed ? 1 : 0;
    at += ROW_BYTES;
  }
  bytes.writeUInt32LE(rows.size, at);
  bytes.write(MAGIC, at + 4, 'latin1');
  return bytes;
}

/** The directory that a pack carries at its end; one with more rows counts as damaged. */
export function readDirectory(path: string, rowsMax = Number.POSITIVE_INFINITY): PackRows {
  const fd = openSync(path, 'r');
  try {
    const { size } = fstatSync(fd);
    const tail = readBytesAt(fd, { at: Math.max(0, size - TAIL_BYTES), length: Math.min(size, TAIL_BYTES) });
    const count = tail.length === TAIL_BYTES ? tail.readUInt32LE(0) : 0;
    const at = size - TAIL_BYTES - count * ROW_BYTES;
    if (tail.toString('latin1', 4) !== MAGIC || at < 0 || count > rowsMax) throw damaged(path);
    return decodeDirectory(readBytesAt(fd, { at, length: count * ROW_BYTES }));
  } finally {
    closeSync(fd);
  }
}

function decodeDirectory(bytes: Buffer): PackRows {
  const rows: PackRows = new Map();
  for (let at = 0; at + ROW_BYTES <= bytes.length; at += ROW_BYTES) {
    rows.set(Sha256.parse(bytes.toString('hex', at, at + 32)), {
      blockAt: bytes.readUInt32LE(at + 32),
      blockLength: bytes.readUInt32LE(at + 36),
      offset: bytes.readUInt32LE(at + 40),
      size: bytes.readUInt32LE(at + 44),
      isCompressed: bytes[at + 48] === 1,
    });
  }
  return rows;
}

/** A block as it lies in a pack. */
export function readBlock(path: string, { blockAt, blockLength }: BlobPlace): Buffer {
  const fd = openSync(path, 'r');
  try {
    const block = readBytesAt(fd, { at: blockAt, length: blockLength });
    if (block.length === blockLength) return block;
    throw damaged(path);
  } finally {
    closeSync(fd);
  }
}

/** Bytes of an open file; fewer where it ends. */
export function readBytesAt(fd: number, { at, length }: { at: number; length: number }): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let done = 0;
  for (let read = -1; read !== 0 && done < length; done += read)
    read = readSync(fd, bytes, done, length - done, at + done);
  return bytes.subarray(0, done);
}

export function damaged(path: string): HubError {
  return new HubError('storage_failed', `a pack of snapshots is damaged: ${path}`, {
    hint: 'take it from a backup; other packs are not affected',
  });
}
