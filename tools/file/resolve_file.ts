import { HubError } from '../../hub/base/error.js';
import { excerptOf, excerptText, shortened } from '../../hub/base/head_and_tail.js';
import { textOf } from '../../hub/base/node_blocks.js';
import type { CallContext, Resolved, Resolving } from '../../hub/base/plugin.js';
import type { Output } from '../../hub/protocol/node.js';
import type { ToolParts } from '../base/parts.js';
import { COMPARED_BYTES_MAX, changeOf } from '../base/text_changes.js';
import { type Passed, passedOf } from './content/head_and_tail_bytes.js';
import type { WantedPart } from './look_at_file.js';
import { shownPath } from './path/file_errors.js';
import { guardOf } from './path/policy_guard.js';
import { type SeenFile, withSeenFile } from './read.js';

/** What was recorded of a file, as far as a fresh look needs it. */
interface Recorded {
  path: string;
  offset: number;
  limit: number | null;
  sizeBytes: number | null;
  changedAtMs: number | null;
  sha256: string | null;
}

/** Reads a file again for a person, and says how it differs from what was seen then. */
export async function resolveFile(
  parts: ToolParts,
  { handle, output, fresh, bytes_max }: Resolving,
  { signal }: CallContext,
): Promise<Resolved> {
  // What is stored needs no plugin; where nothing is, what a model was shown is all there is.
  if (!fresh) throw new HubError('resolve_failed', 'nothing of it was stored');
  if (handle.identifier.startsWith('output:')) {
    throw new HubError('resolve_failed', `${handle.identifier} does not change`, { hint: 'resolve it without fresh' });
  }
  const then = recordedOf(handle.identifier, Object(handle.metadata));
  const { offset, limit, path } = then;
  const look: WantedPart = { name: path, offset, limit, keptBytesMax: parts.config.outputBytesMax(), signal };
  const guard = guardOf({ kind: 'open' }, parts.machine);
  try {
    return await withSeenFile({ absolute: path, guard, look }, async (now) => {
      const staying = { wholeBytesMax: COMPARED_BYTES_MAX, endBytes: bytes_max };
      const passed = await passedOf(now.seen.kept?.pieces ?? [], staying);
      return { ...shownOf(now, passed, bytes_max), changed: await changed(parts, { now, passed, then, output }) };
    });
  } catch (error) {
    const what = goneOf(error, path);
    if (what === null) throw error;
    return { text: `[${what}]`, total_bytes: 0, left_out_bytes: 0, changed: what };
  }
}

function recordedOf(path: string, metadata: object): Recorded {
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

/** Why nothing that can be read is there any more; null for what failed otherwise. */
function goneOf(error: unknown, path: string): string | null {
  if (!(error instanceof HubError)) return null;
  if (error.kind === 'not_found') return `${shownPath(path)} is gone`;
  return error.kind === 'invalid_params' ? error.message : null;
}

interface Compared {
  now: SeenFile;
  passed: Passed;
  then: Recorded;
  output: Output | null;
}

async function changed(parts: ToolParts, { now, passed, then, output }: Compared): Promise<string | null> {
  const changes: string[] = [];
  if (now.real !== then.path) changes.push(`the path leads to ${shownPath(now.real)} now`);
  const totalBytes = now.seen.kept?.totalBytes ?? 0;
  const content = await changeOf(parts.hub, output, { bytes: passed.whole, totalBytes, sha256: passed.sha256 });
  if (content !== null) changes.push(content);
  else if (then.sizeBytes !== null && then.sizeBytes !== now.sizeBytes) {
    changes.push(`these lines are the same, but the file has ${now.sizeBytes} bytes instead of ${then.sizeBytes}`);
  } else if (then.changedAtMs !== now.changedAtMs && then.changedAtMs !== null && then.sha256 === null) {
    changes.push(`these lines are the same, but the file was written at ${new Date(now.changedAtMs).toISOString()}`);
  }
  return changes.length === 0 ? null : changes.join('; ');
}

function shownOf({ seen }: SeenFile, passed: Passed, bytesMax: number): Omit<Resolved, 'changed'> {
  if (seen.facts.content !== 'text' || seen.kept === null) {
    const shown = textOf(seen.blocks, '\n');
    return { text: shown, total_bytes: Buffer.byteLength(shown), left_out_bytes: 0 };
  }
  const { head, tail, whole } = passed;
  const encoding = String(seen.facts.encoding);
  if (whole !== null && encoding !== 'utf-8') {
    const { text, leftOutBytes } = shortened(new TextDecoder(encoding).decode(whole), bytesMax);
    return { text, total_bytes: whole.length, left_out_bytes: leftOutBytes };
  }
  const { totalBytes } = seen.kept;
  const tailBytes = Math.floor(bytesMax / 2);
  const excerpt = excerptOf({ head, tail, totalBytes }, { headBytes: bytesMax - tailBytes, tailBytes });
  return { text: excerptText(excerpt), total_bytes: totalBytes, left_out_bytes: excerpt.leftOutBytes };
}
