import type { Output } from '../../hub/protocol/node.js';
import type { HubLink } from './tool_parts.js';

/** Larger texts, and those with more lines, are compared by size only. */
export const COMPARED_BYTES_MAX = 8 * 1024 * 1024;
const COMPARED_LINES_MAX = 200_000;
const PIECE_BYTES = 1024 * 1024;

/** How many lines were added and removed; lines that only moved count as neither. */
export interface LineChanges {
  added: number;
  removed: number;
}

/** Compares two texts; null when they are too large for that. */
export function lineChanges(before: string, after: string): LineChanges | null {
  if (Math.max(before.length, after.length) > COMPARED_BYTES_MAX) return null;
  const linesBefore = linesOf(before);
  const linesAfter = linesOf(after);
  if (Math.max(linesBefore.length, linesAfter.length) > COMPARED_LINES_MAX) return null;
  const counts = new Map<string, number>();
  for (const line of linesBefore) counts.set(line, (counts.get(line) ?? 0) + 1);
  let added = 0;
  for (const line of linesAfter) {
    const left = counts.get(line) ?? 0;
    if (left === 0) added += 1;
    else counts.set(line, left - 1);
  }
  let removed = 0;
  for (const left of counts.values()) removed += left;
  return { added, removed };
}

/** The current bytes; null when they are too many to compare. */
export interface BytesNow {
  bytes: Buffer | null;
  totalBytes: number;
  sha256: string;
}

/** Describes how bytes differ from the stored ones; null when they are the same. */
export async function changeOf(hub: HubLink, output: Output | null, now: BytesNow): Promise<string | null> {
  const beforeBytes = output?.total_bytes ?? 0;
  const isSame = output === null ? now.totalBytes === 0 : output.sha256 === now.sha256;
  if (isSame && beforeBytes === now.totalBytes) return null;
  const sizes = `${beforeBytes.toLocaleString('en')} bytes then, ${now.totalBytes.toLocaleString('en')} now`;
  const isWhole = output === null || output.size_bytes === output.total_bytes;
  if (!isWhole || now.bytes === null || beforeBytes > COMPARED_BYTES_MAX) return sizes;
  const before =
    output === null ? Buffer.alloc(0) : await storedBytes(hub, output, { from: 0, to: COMPARED_BYTES_MAX });
  const changes = lineChanges(before.toString('utf8'), now.bytes.toString('utf8'));
  if (changes === null) return sizes;
  const { added, removed } = changes;
  if (added === 0 && removed === 0) return `the same lines in another order or with other line ends (${sizes})`;
  return `${counted(added, 'line')} added, ${removed} removed (${sizes})`;
}

/** A part of a stored output. */
export async function storedBytes(
  hub: HubLink,
  { sha256, size_bytes }: Output,
  { from, to }: { from: number; to: number },
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  const end = Math.min(size_bytes, to);
  for (let offset = Math.max(0, from); offset < end; ) {
    const limit = Math.min(PIECE_BYTES, end - offset);
    const { data } = await hub.call('loom.blob_read', { sha256, offset, limit });
    const piece = Buffer.from(data, 'base64');
    if (piece.length === 0) break;
    pieces.push(piece);
    offset += piece.length;
  }
  return Buffer.concat(pieces);
}

function linesOf(text: string): string[] {
  const lines = text.split('\n', COMPARED_LINES_MAX + 2);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function counted(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}
