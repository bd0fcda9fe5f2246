import type { HubError } from '../../base/error.js';
import type { NodeId } from '../../protocol/node.js';
import { newestMeasure } from '../estimate/counted_usage.js';
import { type Measure, pathTokens, totalTokens } from '../estimate/token_estimate.js';
import { outputTokensMax } from '../model/output_limit.js';
import type { ModelReply } from '../request/ask_with_retries.js';
import { thinkingOf } from '../settings/settings.js';
import { type CompactionWork, canShrink, compactPath } from './compact_path.js';

/** How full a window may be before a path is summarised. */
const FULL_SHARE = 0.85;
/** The most of a window that is kept free for an answer. */
const ANSWER_SHARE = 0.5;
/** A shorter path is sent as it is, without looking up the model's window. */
const SMALL_TOKENS = 8_000;
/** From this share of what fits on, an estimate starts from an earlier count. */
const COUNTED_SHARE = 0.25;
/** The most compactions of one turn. */
const COMPACTIONS_MAX = 50;

/** The room that is left in the window of a turn's model. */
export interface WindowRoom {
  mode: 'auto' | 'off';
  /** Tokens that fit the model; null when that is not known. */
  window(): Promise<number | null>;
  measure: Measure | null;
  compactions: number;
}

/** The parts of a turn that keeping its path within the window needs. */
export interface RoomWork extends CompactionWork {
  room: WindowRoom;
  newNodeId(): NodeId;
}

export function openRoom(mode: WindowRoom['mode'], window: WindowRoom['window']): WindowRoom {
  return { mode, window, measure: null, compactions: 0 };
}

/** The tokens of a request that fit beside its answer. */
function tokensThatFit(window: number, outputMax: number): number {
  return Math.floor(Math.max(window * ANSWER_SHARE, Math.min(window * FULL_SHARE, window - outputMax)));
}

/** Summarises the path when the next request would hardly fit. A returned failure ends the turn. */
export async function makeRoom(work: RoomWork): Promise<'enough' | 'made' | HubError> {
  const { room, path, settings, model } = work;
  if (!mayCompact(work)) return 'enough';
  const rough = pathTokens(path, { measure: room.measure, prefix: settings.settings });
  if (rough < SMALL_TOKENS) return 'enough';
  const window = await room.window();
  if (window === null) return 'enough';
  const fitting = tokensThatFit(window, outputTokensMax(model, thinkingOf(settings.settings)));
  if (room.measure === null && rough > fitting * COUNTED_SHARE) {
    room.measure = await newestMeasure(work.reach, work.turn.tree, path);
  }
  const tokens = pathTokens(path, { measure: room.measure, prefix: settings.settings });
  if (tokens <= fitting) return 'enough';
  const failure = await compact(work, tokens);
  if (failure === null) {
    // What is always sent fills the window by itself: compacting after every step would only cost.
    if (pathTokens(path, { measure: null, prefix: settings.settings }) > fitting) room.mode = 'off';
    return 'made';
  }
  if (failure.kind !== 'rejected' && failure.kind !== 'context_too_long') return failure;
  // The request may still fit without a summary; asking for one at every step would only cost.
  room.mode = 'off';
  return 'enough';
}

/** Whether a server refused a path for its length, and a summary may help. */
export function mayHelp(work: RoomWork, { answer, failure }: ModelReply): boolean {
  return failure?.kind === 'context_too_long' && answer.blocks.length === 0 && mayCompact(work);
}

/** Summarises a path that was refused for its length. */
export function makeRoomAfterRefusal(work: RoomWork): Promise<HubError | null> {
  return compact(work, pathTokens(work.path, { measure: work.room.measure, prefix: work.settings.settings }));
}

/** Remembers a server's count of a path, for the next estimate. */
export function rememberCounted({ room, path }: RoomWork, { answer }: ModelReply, sent: number): void {
  if (answer.usage === null) return;
  room.measure = { tokens: totalTokens(answer.usage), nodes: Math.min(sent + 1, path.length) };
}

function mayCompact({ room, path }: RoomWork): boolean {
  return room.mode === 'auto' && room.compactions < COMPACTIONS_MAX && canShrink(path);
}

async function compact(work: RoomWork, tokens: number): Promise<HubError | null> {
  const { room, newNodeId } = work;
  room.compactions += 1;
  const compacted = await compactPath(work, {
    id: newNodeId(),
    instructions: null,
    window: await room.window(),
    tokens,
    isCutOff: false,
    branch: null,
  });
  if ('kind' in compacted) return compacted;
  room.measure = null;
  return null;
}
