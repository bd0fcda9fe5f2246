import { HubError } from '../../hub/base/error.js';
import type { Client } from '../../hub/client/client.js';
import type { NodeId, TreeId } from '../../hub/protocol/node.js';

/** A patch longer than this is not shown on a page. */
const PATCH_LENGTH_MAX = 200_000;
const FILES_MAX = 500;

/** A file that differs between two nodes, as a page shows it. */
export interface PageFileChange {
  path: string;
  status: 'added' | 'changed' | 'removed';
  lines_added: number | null;
  lines_removed: number | null;
  /** Null where it is too long, or none of text. */
  patch: string | null;
}

/** What differs between the files of two nodes; null where none were recorded. */
export async function changedFiles(
  client: Client,
  { tree, from, to }: { tree: TreeId; from: NodeId; to: NodeId },
): Promise<PageFileChange[] | null> {
  const { project } = await client.call('loom.tree_get', { tree });
  if (project === null) return null;
  const place = { project, tree, node: from, other: to, detail: 'patch' as const };
  const found = await client.call('files.diff', place).catch(unlessUnrecorded);
  if (found === null) return null;
  const patches = patchesByPath(Buffer.from(found.patch ?? '', 'base64').toString('utf8'));
  return found.changes.slice(0, FILES_MAX).map(({ path, kind, lines }) => ({
    ...{ path, status: kind, lines_added: lines?.added ?? null, lines_removed: lines?.removed ?? null },
    patch: patches.get(path) ?? null,
  }));
}

function unlessUnrecorded(error: unknown): null {
  if (error instanceof HubError && ['not_found', 'limit'].includes(error.kind)) return null;
  throw error;
}

/** The pieces of a patch by the paths that they are of; those that git quotes, for signs in them, have no piece. */
function patchesByPath(patch: string): ReadonlyMap<string, string> {
  const pieces = new Map<string, string>();
  for (const piece of patch.split(/^(?=diff --git )/m)) {
    const [, path] = /^diff --git a\/(.+) b\/\1$/m.exec(piece) ?? [];
    if (path !== undefined && piece.length <= PATCH_LENGTH_MAX) pieces.set(path, piece);
  }
  return pieces;
}
