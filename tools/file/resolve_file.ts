import { HubError } from '../../hub/base/error.js';
import { excerptOf, excerptText, shortened } from '../../hub/base/head_and_tail.js';
import { textOf } from '../../hub/base/node_blocks.js';
import type { CallContext, Resolved, Resolving } from '../../hub/base/plugin.js';
import type { Output } from '../../hub/protocol/node.js';
import { COMPARED_BYTES_MAX, changeOf } from '../base/text_changes.js';
import type { ToolParts } from '../base/tool_parts.js';
import { type BytesDigest, digestBytes } from './content/digest_bytes.js';
import { shownPath } from './path/file_errors.js';
import { guardOf } from './path/policy_guard.js';
import type { ContentRequest } from './read_content.js';
import { type ReadFile, withFileContent } from './read_file.js';

/** The metadata of a handle that a fresh look needs. */
interface FileRecord {
  path: string;
  offset: number;
  limit: number | null;
  sizeBytes: number | null;
  changedAtMs: number | null;
  sha256: string | null;
}

/** Reads a file again for a person, and says how it differs from what was read then. */
export async function resolveFile(
  parts: ToolParts,
  { handle, output, fresh, bytes_max }: Resolving,
  { signal }: CallContext,
): Promise<Resolved> {
  // Stored outputs are resolved without a plugin; without one the node's blocks are all there is.
  if (!fresh) throw new HubError('resolve_failed', 'nothing of it was stored');
  if (handle.identifier.startsWith('output:')) {
    throw new HubError('resolve_failed', `${handle.identifier} does not change`, { hint: 'resolve it without fresh' });
  }
  const then = fileRecordOf(handle.identifier, Object(handle.metadata));
  const { offset, limit, path } = then;
  const { shrinkImage, config } = parts;
  const kept = { keptBytesMax: config.outputBytesMax(), shrinkImage };
  const request: ContentRequest = { name: path, offset, limit, ...kept, signal };
  const guard = guardOf({ kind: 'open' }, parts.machine, null);
  try {
    return await withFileContent({ absolute: path, guard, request, meant: null }, async (now) => {
      const limits = { wholeBytesMax: COMPARED_BYTES_MAX, endBytes: bytes_max };
      const digest = await digestBytes(now.result.stored?.pieces ?? [], limits);
      return {
        ...excerptOfFile(now, digest, bytes_max),
        changed: await describeChanges(parts, { now, digest, then, output }),
      };
    });
  } catch (error) {
    const reason = goneReason(error, path);
    if (reason === null) throw error;
    return { text: `[${reason}]`, total_bytes: 0, left_out_bytes: 0, changed: reason };
  }
}

function fileRecordOf(path: string, metadata: object): FileRecord {
  const number = (key: string): number | null => {
    const value: unknown = Reflect.get(metadata, key);
    return typeof value === 'number' ? value : null;
  };
  const sha256: unknown = Reflect.get(metadata, 'sha256');
  return {
    path,
    offset: number('offset') ?? 1,
    limit: number('limit'),
    sizeBytes: number('size_bytes'),
    changedAtMs: number('mtime_ms'),
    sha256: typeof sha256 === 'string' ? sha256 : null,
  };
}

/** Why the file can no longer be read; null for any other failure. */
function goneReason(error: unknown, path: string): string | null {
  if (!(error instanceof HubError)) return null;
  if (error.kind === 'not_found') return `${shownPath(path)} is gone`;
  return error.kind === 'invalid_params' ? error.message : null;
}

interface Comparison {
  now: ReadFile;
  digest: BytesDigest;
  then: FileRecord;
  output: Output | null;
}

async function describeChanges(parts: ToolParts, { now, digest, then, output }: Comparison): Promise<string | null> {
  const changes: string[] = [];
  if (now.real !== then.path) changes.push(`the path leads to ${shownPath(now.real)} now`);
  const totalBytes = now.result.stored?.totalBytes ?? 0;
  const content = await changeOf(parts.hub, output, { bytes: digest.whole, totalBytes, sha256: digest.sha256 });
  if (content !== null) changes.push(content);
  else if (then.sizeBytes !== null && then.sizeBytes !== now.sizeBytes) {
    changes.push(`these lines are the same, but the file has ${now.sizeBytes} bytes instead of ${then.sizeBytes}`);
  } else if (then.changedAtMs !== now.changedAtMs && then.changedAtMs !== null && then.sha256 === null) {
    changes.push(`these lines are the same, but the file was written at ${new Date(now.changedAtMs).toISOString()}`);
  }
  return changes.length === 0 ? null : changes.join('; ');
}

function excerptOfFile({ result }: ReadFile, digest: BytesDigest, bytesMax: number): Omit<Resolved, 'changed'> {
  if (result.facts.content !== 'text' || result.stored === null) {
    const shown = textOf(result.blocks, '\n');
    return { text: shown, total_bytes: Buffer.byteLength(shown), left_out_bytes: 0 };
  }
  const { head, tail, whole } = digest;
  const encoding = String(result.facts.encoding);
  if (whole !== null && encoding !== 'utf-8') {
    const { text, leftOutBytes } = shortened(new TextDecoder(encoding).decode(whole), bytesMax);
    return { text, total_bytes: whole.length, left_out_bytes: leftOutBytes };
  }
  const { totalBytes } = result.stored;
  const tailBytes = Math.floor(bytesMax / 2);
  const excerpt = excerptOf({ head, tail, totalBytes }, { headBytes: bytesMax - tailBytes, tailBytes });
  return { text: excerptText(excerpt), total_bytes: totalBytes, left_out_bytes: excerpt.leftOutBytes };
}
