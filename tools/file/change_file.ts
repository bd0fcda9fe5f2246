import type { ToolAnswer } from '../../hub/protocol/methods/tool_methods.js';
import { NodeId } from '../../hub/protocol/node.js';
import type { Policy } from '../../hub/protocol/policy.js';
import { storeOutcome, type ToolCall } from '../base/outcome.js';
import type { ToolParts } from '../base/parts.js';
import { sha256Of } from '../base/sha256.js';
import { type OldContent, oldContent } from './content/old_content.js';
import { headAndTail } from './look_at_file.js';
import type { Turns } from './one_change_at_a_time.js';
import { absolutePath } from './path/absolute_path.js';
import { fileError, shownPath } from './path/file_errors.js';
import { type FileTarget, type WantedFile, withTarget } from './path/file_target.js';
import { guardOf } from './path/policy_guard.js';
import { replaceContent } from './path/replace_content.js';
import { handleOf } from './read.js';

/** What is asked of a change of a file, besides what it changes. */
export interface ChangeAsked {
  id?: NodeId | undefined;
  place: ToolCall['place'];
  append: boolean;
  call_id: string | null;
  path: string;
  cwd: string | null;
  policy: Policy;
}

/** What a change makes of a file. */
export interface Change {
  bytes: Buffer;
  /** What a model is told of it. */
  text: string;
  /** What the handle says besides. */
  facts: Record<string, unknown>;
}

export interface Changing {
  tool: 'write' | 'edit';
  /** As the node records it. */
  input: unknown;
  change(old: OldContent | null, target: FileTarget): Change;
}

/** Changes a file, in its turn, and keeps what it came to. */
export async function changeFile(
  { parts, turns, signal }: { parts: ToolParts; turns: Turns; signal: AbortSignal },
  asked: ChangeAsked,
  changing: Changing,
): Promise<ToolAnswer> {
  const startedAtMs = parts.clock();
  const { path, cwd, place, policy, append, call_id } = asked;
  const guard = guardOf(policy, parts.machine);
  const absolute = await absolutePath(parts, { path, cwd, place, isOpen: guard.isOpen });
  const wanted = { absolute, name: path, guard };
  const { change, metadata, real } = await turns
    .take(absolute, () => changeInTurn(wanted, changing, signal))
    .catch((error: unknown) => {
      throw fileError(error, `${shownPath(path)} cannot be written`);
    });
  return storeOutcome(
    parts.hub,
    { id: asked.id ?? NodeId.parse(parts.newId()), place, append, call_id },
    {
      ...{ tool: changing.tool, input: changing.input, handle: handleOf(real, metadata) },
      output: change.bytes.length === 0 ? null : headAndTail(change.bytes, parts.config.outputBytesMax()),
      blocks: [{ type: 'text', text: change.text }],
      ...{ exit_code: null, signal: null, duration_ms: parts.clock() - startedAtMs, cwd: null },
    },
  );
}

interface Changed {
  change: Change;
  metadata: Record<string, unknown>;
  real: string;
}

function changeInTurn(wanted: WantedFile, changing: Changing, signal: AbortSignal): Promise<Changed> {
  return withTarget(wanted, async (target) => {
    const old = target.old === null ? null : await oldContent(target.old, signal);
    const change = changing.change(old, target);
    signal.throwIfAborted();
    const isSame = old?.bytes?.equals(change.bytes) ?? false;
    const stats = isSame ? target.old?.stats : await replaceContent(target, change.bytes, wanted);
    const metadata = {
      path: target.path,
      size_bytes: change.bytes.length,
      mtime_ms: Math.floor(stats?.mtimeMs ?? 0),
      sha256: sha256Of([change.bytes]),
      before: old === null ? null : { sha256: old.sha256, size_bytes: old.sizeBytes },
      ...change.facts,
    };
    return { change, metadata, real: target.path };
  });
}

const INPUT_UNITS_MAX = 20_000;

/** A text of an input as a node records it: of a long one only how long it is, for all of it is stored. */
export function recorded(name: string, text: string): Record<string, string | number> {
  return text.length <= INPUT_UNITS_MAX ? { [name]: text } : { [`${name}_characters`]: text.length };
}
