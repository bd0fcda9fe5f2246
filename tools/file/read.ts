import { errnoOf } from '../../hub/base/errno.js';
import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import type { CallContext } from '../../hub/base/plugin.js';
import type { ParsedOf } from '../../hub/protocol/methods/method_table.js';
import type { ToolAnswer } from '../../hub/protocol/methods/tool_methods.js';
import { type Handle, NodeId, type Output } from '../../hub/protocol/node.js';
import { storeOutcome } from '../base/outcome.js';
import type { ToolParts } from '../base/parts.js';
import { fileSource, storedSource } from './content/byte_source.js';
import { lookAt, type SeenContent, type WantedPart } from './look_at_file.js';
import { absolutePath } from './path/absolute_path.js';
import { fileError, shownPath } from './path/file_errors.js';
import { notRegular, openPinned, withPinned } from './path/pinned_path.js';
import { type FileGuard, guardOf, requireRead } from './path/policy_guard.js';
import { isFolder, missing } from './path/similar_paths.js';

/** The version of what is recorded in handles. */
export const SOURCE_VERSION = '1.0.0';
const STORED = 'output:';

/** Reads a part of a file, or of a stored output, and keeps what was read. */
export async function readFile(
  parts: ToolParts,
  params: ParsedOf<'file.read'>,
  { signal }: CallContext,
): Promise<ToolAnswer> {
  const startedAtMs = parts.clock();
  const id = params.id ?? NodeId.parse(parts.newId());
  const { path, offset, limit } = params;
  const look = { name: path, offset, limit, keptBytesMax: parts.config.outputBytesMax(), signal };
  const use = (seen: SeenContent, handle: Handle): Promise<ToolAnswer> =>
    storeOutcome(
      parts.hub,
      { id, place: params.place, append: params.append, call_id: params.call_id },
      {
        ...{ tool: 'read', input: { path, offset, limit }, handle, output: seen.kept, blocks: seen.blocks },
        ...{ exit_code: null, signal: null, duration_ms: parts.clock() - startedAtMs, cwd: null },
      },
    );
  const reading = { parts, params, look };
  return path.startsWith(STORED) ? readStored(reading, use) : readNamed(reading, use);
}

interface Reading {
  parts: ToolParts;
  params: ParsedOf<'file.read'>;
  look: WantedPart;
}

/** Keeps what was seen, while its source is open. */
type Use = (seen: SeenContent, handle: Handle) => Promise<ToolAnswer>;

async function readNamed({ parts, params, look }: Reading, use: Use): Promise<ToolAnswer> {
  const { path, cwd, place, policy, offset, limit } = params;
  const guard = guardOf(policy, parts.machine);
  const absolute = await absolutePath(parts, { path, cwd, place, isOpen: guard.isOpen });
  return withSeenFile({ absolute, guard, look }, ({ seen, real, sizeBytes, changedAtMs }) => {
    const metadata = { path: real, size_bytes: sizeBytes, mtime_ms: changedAtMs, offset, limit, ...seen.facts };
    return use(seen, handleOf(real, metadata));
  });
}

export function handleOf(identifier: string, metadata: Record<string, unknown>): Handle {
  return { source: 'file', source_version: SOURCE_VERSION, identifier: identifier.slice(0, 4_096), metadata };
}

export interface SeenFile {
  seen: SeenContent;
  /** Where it really lies. */
  real: string;
  sizeBytes: number;
  changedAtMs: number;
}

export interface WantedLook {
  absolute: string;
  guard: FileGuard;
  look: WantedPart;
}

/** Looks at a file by its absolute path, if that leads where it may, and holds it open for as long as `use` runs. */
export async function withSeenFile<T>(
  { absolute, guard, look }: WantedLook,
  use: (file: SeenFile) => Promise<T>,
): Promise<T> {
  try {
    return await withPinned(absolute, 'any', async (pinned) => {
      await requireRead(guard, pinned, look.name);
      if (pinned.stats.isDirectory()) throw await isFolder(pinned, { asked: look.name, guard });
      if (!pinned.stats.isFile()) throw notRegular(look.name, pinned.stats);
      const handle = await openPinned(pinned);
      try {
        const { size, mtimeMs } = await handle.stat();
        const seen = await lookAt(fileSource(handle, size), look);
        return await use({ seen, real: pinned.path, sizeBytes: size, changedAtMs: Math.floor(mtimeMs) });
      } finally {
        await handle.close();
      }
    });
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')) throw await missing(absolute, look.name, guard);
    throw fileError(error, `${shownPath(look.name)} cannot be read`);
  }
}

/** Reads what is stored for another node. A model reaches only nodes of the tree that it works in. */
async function readStored({ parts, params, look }: Reading, use: Use): Promise<ToolAnswer> {
  const { path, place, policy, offset, limit } = params;
  const node = NodeId.safeParse(path.slice(STORED.length));
  if (!node.success) {
    throw new HubError('invalid_params', `${shownPath(path)} names no node`, {
      hint: `write ${STORED} and the whole id of a node`,
    });
  }
  if (policy.kind === 'contained' && place === null) {
    throw new HubError('unauthorised', `${shownPath(path)} belongs to no tree that this call works in`, {
      hint: 'give the place of the call',
    });
  }
  const tree = policy.kind === 'contained' ? (place?.tree ?? null) : null;
  const found = await parts.hub.call('loom.node_get', { node: node.data, tree });
  const output = found.node.kind === 'external' ? found.node.external.output : null;
  if (output === null) throw nothingStored(path);
  const seen = await lookAt(storedSource(parts.hub, output), look);
  const { sha256, size_bytes, total_bytes } = output;
  const handle = handleOf(path, { node: node.data, size_bytes, total_bytes, offset, limit, ...seen.facts, sha256 });
  return use(withGap(seen, output), handle);
}

function nothingStored(path: string): HubError {
  return new HubError('not_found', `nothing is stored for ${shownPath(path)}`, {
    hint: ['only what a tool printed or read is stored: ', cliCommand('show')],
  });
}

function withGap(seen: SeenContent, { size_bytes, total_bytes }: Output): SeenContent {
  if (size_bytes === total_bytes) return seen;
  const text = `[of ${total_bytes} bytes only the first and the last were stored, ${size_bytes} in all; between them a part is missing]`;
  return { ...seen, blocks: [...seen.blocks, { type: 'text', text }] };
}
