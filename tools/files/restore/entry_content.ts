import { createHash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { attempt } from '../../walk/pinned_folder.js';
import { readLink, readRegular } from '../scan/read_entry.js';
import { contentDigest } from '../store/snapshot.js';
import type { TreeEntry } from '../store/tree_format.js';

/** Whether a file or a link on the disk holds what an entry says; its mode does not count. */
export function hasContent(path: string | Buffer, { kind, size, sha256 }: TreeEntry): boolean {
  const stats = attempt(() => lstatSync(path));
  if (stats === null || stats.size !== size) return false;
  if (kind === 'link') {
    const text = readLink(path);
    return text !== null && createHash('sha256').update(text).digest('hex') === sha256;
  }
  const read = readRegular(path, size);
  return read?.kind === 'read' && contentDigest(read.bytes) === sha256;
}
