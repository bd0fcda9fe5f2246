import type { BashSessionId, ToolAnswer } from '../../hub/protocol/methods/tool_methods.js';
import type { NodeId } from '../../hub/protocol/node.js';
import type { Policy } from '../../hub/protocol/policy.js';
import { beginCall, storeOutcome, type ToolCall } from '../base/outcome.js';
import { sha256Of } from '../base/sha256.js';
import type { ToolParts } from '../base/tool_parts.js';
import type { ChangeQueue } from './change_queue.js';
import { type OldContent, readOldContent } from './content/old_content.js';
import { absolutePath } from './path/absolute_path.js';
import { fileError, shownPath } from './path/file_errors.js';
import { type TargetRequest, withTarget } from './path/file_target.js';
import { guardOf } from './path/policy_guard.js';
import { replaceContent } from './path/replace_content.js';
import { type SessionTmp, sessionTmp } from './path/session_tmp.js';
import { headAndTail } from './read_content.js';
import { handleOf } from './read_file.js';

/** The parameters that writing and editing share. */
export interface ChangeParams {
  id?: NodeId | undefined;
  place: ToolCall['place'];
  append: boolean;
  call_id: string | null;
  path: string;
  cwd: string | null;
  policy: Policy;
  session: BashSessionId | null;
}

/** The new content of a file. */
export interface NewContent {
  bytes: Buffer;
  /** The text that a model gets. */
  text: string;
  /** Further metadata of the handle. */
  facts: Record<string, unknown>;
}

export interface ContentChange {
  tool: 'write' | 'edit';
  /** As the node records it. */
  input: unknown;
  change(old: OldContent | null): NewContent;
}

/** Changes a file, one change at a time, and stores the result. */
export async function changeFile(
  { parts, queue, signal }: { parts: ToolParts; queue: ChangeQueue; signal: AbortSignal },
  params: ChangeParams,
  change: ContentChange,
): Promise<ToolAnswer> {
  const startedAtMs = parts.clock();
  const call = await beginCall(parts, params);
  const { request, tmp } = await locate(parts, params);
  const { content, metadata, real } = await queue
    .run(request.absolute, () => applyChange(request, change, signal))
    .catch((error: unknown) => {
      throw writeError(error, params.path, tmp);
    });
  return storeOutcome(parts.hub, call, {
    ...{ tool: change.tool, input: change.input, handle: handleOf(real, metadata) },
    output: content.bytes.length === 0 ? null : headAndTail(content.bytes, parts.config.outputBytesMax()),
    blocks: [{ type: 'text', text: content.text }],
    ...{ exit_code: null, signal: null, duration_ms: parts.clock() - startedAtMs, cwd: null },
  });
}

/** Where a call leads, and what it may touch there. */
export async function locate(
  parts: ToolParts,
  params: Pick<ChangeParams, 'path' | 'cwd' | 'place' | 'policy' | 'session'>,
): Promise<{ request: TargetRequest; tmp: SessionTmp | null }> {
  const { path, cwd, place, policy } = params;
  const tmp = sessionTmp(parts, params);
  const guard = guardOf(policy, parts.machine, tmp);
  const named = await absolutePath(parts, { path, cwd, place, isOpen: guard.isOpen });
  return { request: { absolute: tmp?.placeOf(named) ?? named, name: path, guard }, tmp };
}

export function writeError(error: unknown, path: string, tmp: SessionTmp | null): unknown {
  const failure = fileError(error, `${shownPath(path)} cannot be written`);
  return tmp?.inItsWords(failure) ?? failure;
}

interface AppliedChange {
  content: NewContent;
  metadata: Record<string, unknown>;
  real: string;
}

function applyChange(request: TargetRequest, change: ContentChange, signal: AbortSignal): Promise<AppliedChange> {
  return withTarget(request, async (target) => {
    const old = target.old === null ? null : await readOldContent(target.old, signal);
    const content = change.change(old);
    signal.throwIfAborted();
    const isSame = old?.bytes?.equals(content.bytes) ?? false;
    const stats = isSame ? target.old?.stats : await replaceContent(target, content.bytes, request);
    const metadata = {
      path: target.path,
      size_bytes: content.bytes.length,
      mtime_ms: Math.floor(stats?.mtimeMs ?? 0),
      sha256: sha256Of([content.bytes]),
      before: old === null ? null : { sha256: old.sha256, size_bytes: old.sizeBytes },
      ...content.facts,
    };
    return { content, metadata, real: target.path };
  });
}

const INPUT_UNITS_MAX = 20_000;

/** A text of an input as the node records it: of a long one only its length, since the whole text is stored. */
export function recordedText(name: string, text: string): Record<string, string | number> {
  return text.length <= INPUT_UNITS_MAX ? { [name]: text } : { [`${name}_characters`]: text.length };
}
