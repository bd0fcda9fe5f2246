import { createHash, type Hash, randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { detach } from '../../hub/base/detach.js';
import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import type { Output } from '../../hub/protocol/node.js';
import { Sha256 } from '../../hub/protocol/node.js';
import { storageError } from '../store/store.js';
import { createOutputCheck, type OutputCheck } from './output_check.js';
import { outputPath } from './output_path.js';
import { syncPath } from './sync_path.js';

/** The most bytes of one stored output. */
const OUTPUT_BYTES_MAX = 1024 * 1024 * 1024;
const UPLOADS_MAX = 64;
const FINISHED_KEPT = 256;

export interface UploadPiece {
  upload: string;
  offset: number;
  bytes: Buffer;
  done: boolean;
}

/** Bytes named by their SHA-256. Written once, never changed. */
export interface Blobs {
  /** Writes one piece; after the last one the output is on the disk under its name. */
  write(piece: UploadPiece): Promise<Output | null>;
  read(range: { sha256: Sha256; offset: number; limit: number }): Promise<{ bytes: Buffer; sizeBytes: number }>;
  close(): Promise<void>;
}

interface Upload {
  file: FileHandle;
  path: string;
  hash: Hash;
  sizeBytes: number;
  /** The newest write: pieces are written one after the other. */
  last: Promise<unknown>;
}

export interface BlobsOptions {
  outputs: string;
  uploads: string;
  /** Keeps an output, also from a purge, until its node comes; resolves when that is on the disk. */
  lease(sha256: Sha256): Promise<unknown>;
}

/** Opens the folder of stored outputs and removes unfinished uploads. */
export async function openBlobs({ lease, ...folders }: BlobsOptions): Promise<Blobs> {
  await rm(folders.uploads, { recursive: true, force: true });
  for (const folder of [folders.outputs, folders.uploads]) await mkdir(folder, { recursive: true, mode: 0o700 });
  const check = createOutputCheck();
  const uploads = new Map<string, Promise<Upload>>();
  // A retry of the last piece arrives after its upload has been removed.
  const finished = new Map<string, Output>();
  const earlierOutput = (piece: UploadPiece) => (piece.done ? finished.get(piece.upload) : undefined);

  // Later pieces may arrive while the file is still being opened for the first.
  function openUploadOf(piece: UploadPiece): Promise<Upload> {
    const existing = uploads.get(piece.upload);
    if (existing !== undefined) return existing;
    if (piece.offset !== 0) throw outOfOrder(piece, 0);
    const upload = openUpload(join(folders.uploads, randomUUID()));
    uploads.set(piece.upload, upload);
    dropOldest(uploads);
    detach(upload, () => uploads.delete(piece.upload)); // a later piece may try again
    return upload;
  }

  async function take(upload: Upload, piece: UploadPiece): Promise<Output | null> {
    const earlier = earlierOutput(piece); // finished while this piece waited
    if (earlier !== undefined) return earlier;
    const end = piece.offset + piece.bytes.length;
    if (piece.offset !== upload.sizeBytes) {
      if (end <= upload.sizeBytes && !piece.done) return null;
      if (end !== upload.sizeBytes) throw outOfOrder(piece, upload.sizeBytes);
    } else {
      refuseTooLarge(end);
      await writeAll(upload.file, piece.bytes);
      upload.hash.update(piece.bytes);
      upload.sizeBytes = end;
    }
    if (!piece.done) return null;
    const output = await finish(upload, { folder: folders.outputs, lease });
    uploads.delete(piece.upload);
    remember(finished, piece.upload, output);
    return output;
  }

  return {
    async write(piece) {
      const earlier = earlierOutput(piece);
      if (earlier !== undefined) return earlier;
      const opening = openUploadOf(piece);
      const upload = await opening;
      const result = upload.last.then(() => take(upload, piece));
      upload.last = result.catch(() => null); // its own caller gets the error
      return result.catch(async (error: unknown) => {
        if (error instanceof HubError) throw error;
        // How much of the piece was written is unknown. The map may hold a newer upload under this name.
        if (uploads.get(piece.upload) === opening) uploads.delete(piece.upload);
        await discardUpload(upload);
        throw storageError(error, upload.path);
      });
    },
    read: (range) => readPiece({ folder: folders.outputs, check }, range),
    async close() {
      for (const upload of uploads.values()) await (await upload).file.close();
      uploads.clear();
    },
  };
}

function dropOldest(uploads: Map<string, Promise<Upload>>): void {
  const [oldest] = uploads;
  if (uploads.size <= UPLOADS_MAX || oldest === undefined) return;
  const [name, upload] = oldest;
  uploads.delete(name);
  detach(upload.then(discardUpload), () => undefined); // the next start removes what is left
}

async function openUpload(path: string): Promise<Upload> {
  try {
    const file = await open(path, 'w+', 0o600);
    return { file, path, hash: createHash('sha256'), sizeBytes: 0, last: Promise.resolve() };
  } catch (error) {
    throw storageError(error, path);
  }
}

/** Makes an upload durable: syncs the bytes, renames the file, then syncs the folders. */
async function finish(
  upload: Upload,
  { folder, lease }: { folder: string; lease: BlobsOptions['lease'] },
): Promise<Output> {
  const sha256 = Sha256.parse(upload.hash.digest('hex'));
  const path = outputPath(folder, sha256);
  // The lease before the name: what is killed in between leaves nothing that is not known.
  await Promise.all([upload.file.sync(), lease(sha256)]);
  await upload.file.close();
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await rename(upload.path, path);
  await syncPath(dirname(path));
  await syncPath(folder);
  return { sha256, size_bytes: upload.sizeBytes, total_bytes: upload.sizeBytes };
}

async function readPiece(
  { folder, check }: { folder: string; check: OutputCheck },
  { sha256, offset, limit }: { sha256: Sha256; offset: number; limit: number },
): Promise<{ bytes: Buffer; sizeBytes: number }> {
  const file = await open(outputPath(folder, sha256), 'r').catch((error: unknown) => {
    throw new HubError('not_found', `there is no stored output ${sha256}`, {
      hint: ['it was purged or lost; run: ', cliCommand('fsck')],
      cause: error,
    });
  });
  try {
    const size = await check(file, sha256).catch((error: unknown) => {
      throw error instanceof HubError ? error : storageError(error, `the stored output ${sha256}`);
    });
    const bytes = Buffer.alloc(Math.max(0, Math.min(limit, size - offset)));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, offset);
    return { bytes: bytes.subarray(0, bytesRead), sizeBytes: size };
  } finally {
    await file.close();
  }
}

async function writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    written += (await file.write(bytes, written, bytes.length - written)).bytesWritten;
  }
}

/** Removes an upload and its file; a sender of more pieces is told to begin again. */
async function discardUpload(upload: Upload): Promise<void> {
  await upload.file.close();
  await rm(upload.path, { force: true });
}

function remember(finished: Map<string, Output>, upload: string, output: Output): void {
  finished.set(upload, output);
  for (const oldest of finished.keys()) {
    if (finished.size <= FINISHED_KEPT) return;
    finished.delete(oldest);
  }
}

function outOfOrder(piece: UploadPiece, expected: number): HubError {
  return new HubError('conflict', `piece at ${piece.offset} of upload ${piece.upload} does not follow what is here`, {
    hint: `the next piece begins at ${expected}; after a restart of the hub begin again with a new upload`,
    details: { expected },
  });
}

function refuseTooLarge(sizeBytes: number): void {
  if (sizeBytes <= OUTPUT_BYTES_MAX) return;
  throw new HubError('limit', `a stored output has at most ${OUTPUT_BYTES_MAX} bytes`, {
    hint: 'store its head and tail, and say how much was cut',
  });
}
