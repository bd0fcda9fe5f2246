import { createHash } from 'node:crypto';
import { Sha256 } from '../../protocol/node.js';

/** What names a project in the notes of snapshots, by its real path. */
export function folderId(project: string): Sha256 {
  return Sha256.parse(createHash('sha256').update(project).digest('hex'));
}
