import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { readLink, readRegular } from '../scan/read_entry.js';
import { contentDigest } from '../store/snapshot.js';
import type { TreeEntry } from '../store/tree_format.js';

/** Whether what the disk says of a file or a link speaks against an entry; its mode does not count. */
export function isOther(stats: Stats, { kind, size }: TreeEntry): boolean {
  return stats.size !== size || (kind === 'link' ? !stats.isSymbolicLink() : !stats.isFile());
}

/** Whether a file or a link on the disk holds what an entry says; its mode does not count. */
export function hasContent(path: string | Buffer, entry: TreeEntry): boolean {
  const { kind, size, sha256 } = entry;
  if (kind === 'link') {
    const text = readLink(path);
    return text !== null && createHash('sha256').update(text).digest('hex') === sha256;
  }
  const read = readRegular(path, size);
  return read?.kind === 'read' && contentDigest(read.bytes) === sha256;
}
