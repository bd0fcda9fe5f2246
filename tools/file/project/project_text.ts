import { join } from 'node:path';
import type { MachinePaths } from '../../base/tool_parts.js';
import { mayRead } from '../../policy/path_rules.js';
import { readPinned } from '../../walk/pinned_folder.js';
import { type Root, resolveBelow } from '../../walk/resolve_below.js';

export interface TextRequest {
  root: Root;
  /** From the root on. */
  path: string;
  /** A folder whose links must not lead out of it. */
  held: string;
  bytesMax: number;
  /** Null for a file of the person's own: of a project nothing is read that a model could not read in it. */
  machine: MachinePaths | null;
  /** Gains the paths that lead to what must not be read. */
  refused: Set<string>;
}

/** The beginning of a text file. */
export interface FileText {
  text: string;
  /** Its real path. */
  real: string;
  /** How many bytes the whole file has; null when that is what was read. */
  cutFrom: number | null;
}

/** The beginning of a text file; null for none. */
export function readText({ root, path, held, bytesMax, machine, refused }: TextRequest): FileText | null {
  const policy = { kind: 'contained' as const, network: false, writable: [], readable: [held] };
  const found = resolveBelow(root, { path, held }, (file, real) => {
    if (machine !== null && !mayRead(real, policy, machine)) return 'hidden' as const;
    const content = readPinned(file, bytesMax);
    return content === null ? null : { ...content, real, size: file.stats.size };
  });
  if (found.kind === 'absent') return null;
  if (found.kind === 'outside' || found.value === 'hidden') {
    refused.add(join(root.path, path));
    return null;
  }
  if (found.value === null) return null;
  const { bytes, isWhole, real, size } = found.value;
  // A character that the limit cuts is left out.
  const text = new TextDecoder().decode(bytes, { stream: !isWhole }).toWellFormed();
  return { text, real, cutFrom: isWhole ? null : size };
}
