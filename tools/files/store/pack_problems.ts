import { createHash } from 'node:crypto';
import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Sha256 } from '../../../hub/protocol/node.js';
import { isDraft } from './pack_file.js';

const BUFFER_BYTES = 1024 * 1024;

/** What is wrong with the packs of a folder. A pack is named by the SHA-256 of its bytes. */
export function packProblems(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    if (isDraft(name)) return [];
    if (!Sha256.safeParse(name).success) return [`${name} is no pack`];
    return isIntact(join(folder, name)) ? [] : [`the pack ${name} is damaged: take it from a backup`];
  });
}

/** Whether the bytes of a pack are those that name it. */
export function isIntact(path: string): boolean {
  return digestOf(path) === basename(path);
}

function digestOf(path: string): string {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  const fd = openSync(path, 'r');
  try {
    for (let read = readSync(fd, buffer); read > 0; read = readSync(fd, buffer)) hash.update(buffer.subarray(0, read));
    return hash.digest('hex');
  } finally {
    closeSync(fd);
  }
}
