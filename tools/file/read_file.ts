import { errnoOf } from '../../hub/base/errno.js';
import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import type { CallContext } from '../../hub/base/plugin.js';
import type { ParsedOf } from '../../hub/protocol/methods/method_table.js';
import type { ToolAnswer } from '../../hub/protocol/methods/tool_methods.js';
import { type Handle, NodeId, type Output } from '../../hub/protocol/node.js';
import { beginCall, storeOutcome } from '../base/outcome.js';
import type { ToolParts } from '../base/tool_parts.js';
import { fileSource, storedSource } from './content/byte_source.js';
import { absolutePath } from './path/absolute_path.js';
import { fileError, shownPath } from './path/file_errors.js';
import { realNameOf } from './path/named_file.js';
import { folderError, missingError } from './path/path_errors.js';
import { changed, notRegular, openPinned, withPinned } from './path/pinned_path.js';
import { type FileGuard, guardOf, requireRead } from './path/policy_guard.js';
import { sessionTmp } from './path/session_tmp.js';
import { type ContentRequest, type ReadResult, readContent } from './read_content.js';

/** The version of what is recorded in handles. */
export const SOURCE_VERSION = '1.0.0';
const STORED = 'output:';

/** Reads a part of a file, or of a stored output, and stores the result. */
export async function readFile(
  parts: ToolParts,
  params: ParsedOf<'file.read'>,
  { signal }: CallContext,
): Promise<ToolAnswer> {
  const startedAtMs = parts.clock();
  const toolCall = await beginCall(parts, params);
  const { path, offset, limit } = params;
  const { shrinkImage, config } = parts;
  const request = { name: path, offset, limit, keptBytesMax: config.outputBytesMax(), shrinkImage, signal };
  const store = (result: ReadResult, handle: Handle): Promise<ToolAnswer> =>
    storeOutcome(parts.hub, toolCall, {
      ...{ tool: 'read', input: { path, offset, limit }, handle, output: result.stored, blocks: result.blocks },
      ...{ exit_code: null, signal: null, duration_ms: parts.clock() - startedAtMs, cwd: null },
    });
  const call = { parts, params, request };
  return path.startsWith(STORED) ? readStored(call, store) : readNamed(call, store);
}

interface ReadCall {
  parts: ToolParts;
  params: ParsedOf<'file.read'>;
  request: ContentRequest;
}

/** Stores the result while its source is open. */
type StoreResult = (result: ReadResult, handle: Handle) => Promise<ToolAnswer>;

async function readNamed({ parts, params, request }: ReadCall, store: StoreResult): Promise<ToolAnswer> {
  const { path, cwd, place, policy, inside, offset, limit } = params;
  const tmp = sessionTmp(parts, params);
  const guard = guardOf(policy, parts.machine, tmp);
  const named = await absolutePath(parts, { path, cwd, place, isOpen: guard.isOpen });
  const absolute = tmp?.placeOf(named) ?? named;
  const meant = inside === null ? null : realNameOf(absolute, inside);
  return withFileContent({ absolute, guard, request, meant }, ({ result, real, sizeBytes, changedAtMs }) => {
    const metadata = { path: real, size_bytes: sizeBytes, mtime_ms: changedAtMs, offset, limit, ...result.facts };
    return store(result, handleOf(real, metadata));
  }).catch((error: unknown) => {
    throw tmp?.inItsWords(error) ?? error;
  });
}

export function handleOf(identifier: string, metadata: Record<string, unknown>): Handle {
  return { source: 'file', source_version: SOURCE_VERSION, identifier: identifier.slice(0, 4_096), metadata };
}

export interface ReadFile {
  result: ReadResult;
  /** Its real path. */
  real: string;
  sizeBytes: number;
  changedAtMs: number;
}

export interface FileReadRequest {
  absolute: string;
  guard: FileGuard;
  request: ContentRequest;
  /** The real path that it must have; null for any. */
  meant: string | null;
}

/** Reads a file if the policy allows its real path, and holds it open while `use` runs. */
export async function withFileContent<T>(
  { absolute, guard, request, meant }: FileReadRequest,
  use: (file: ReadFile) => Promise<T>,
): Promise<T> {
  try {
    return await withPinned(absolute, 'any', async (pinned) => {
      await requireRead(guard, pinned, request.name);
      if (meant !== null && pinned.path !== meant) throw changed(pinned.path);
      if (pinned.stats.isDirectory()) throw await folderError(pinned, { name: request.name, guard });
      if (!pinned.stats.isFile()) throw notRegular(request.name, pinned.stats);
      const handle = await openPinned(pinned);
      try {
        const { size, mtimeMs } = await handle.stat();
        const result = await readContent(fileSource(handle, size), request);
        return await use({ result, real: pinned.path, sizeBytes: size, changedAtMs: Math.floor(mtimeMs) });
      } finally {
        await handle.close();
      }
    });
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')) throw await missingError(absolute, request.name, guard);
    throw fileError(error, `${shownPath(request.name)} cannot be read`);
  }
}

/** Reads the stored output of another node. A model reaches only nodes of the tree that it works in. */
async function readStored({ parts, params, request }: ReadCall, store: StoreResult): Promise<ToolAnswer> {
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
  const { node: source } = await parts.hub.call('loom.node_get', { node: node.data, tree });
  const output = source.kind === 'external' ? source.external.output : null;
  if (output === null) throw nothingStored(path);
  const result = await readContent(storedSource(parts.hub, output), request);
  const { sha256, size_bytes, total_bytes } = output;
  const handle = handleOf(path, { node: node.data, size_bytes, total_bytes, offset, limit, ...result.facts, sha256 });
  return store(withGap(result, output), handle);
}

function nothingStored(path: string): HubError {
  return new HubError('not_found', `nothing is stored for ${shownPath(path)}`, {
    hint: ['only what a tool printed or read is stored: ', cliCommand('show')],
  });
}

function withGap(result: ReadResult, { size_bytes, total_bytes }: Output): ReadResult {
  if (size_bytes === total_bytes) return result;
  const text = `[of ${total_bytes} bytes only the first and the last were stored, ${size_bytes} in all; between them a part is missing]`;
  return { ...result, blocks: [...result.blocks, { type: 'text', text }] };
}
