import type { HubError } from '../../base/error.js';
import type { NodeId } from '../../protocol/node.js';
import { countedOf } from '../estimate/counted_usage.js';
import { type Measure, pathTokens, usedTokens } from '../estimate/token_estimate.js';
import type { ModelAtServer } from '../model/model_names.js';
import { outputTokensMax } from '../model/output_limit.js';
import { loadPriceTable } from '../model/price_table.js';
import type { ModelReply } from '../request/ask_with_retries.js';
import { type CompactionWork, canShrink, compactPath } from './compact_path.js';

/** How full a window may be before a path is summarised. */
const FULL_SHARE = 0.85;
/** What is left free for an answer is never more than this part of a window. */
const ANSWER_SHARE = 0.5;
/** A path that is shorter is sent as it is, without looking up what the model takes. */
const SMALL_TOKENS = 8_000;
/** From this part of what fits on, an estimate goes by what was counted before. */
const COUNTED_SHARE = 0.25;
/** How often one turn summarises its path. */
const COMPACTIONS_MAX = 50;

/** What a turn knows of the room that is left in its model's window. */
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

/** The window of a model: as the table has it, else as the person says. */
export async function windowOf(asked: ModelAtServer, said: number | null): Promise<number | null> {
  return (await loadPriceTable()).window(asked) ?? said;
}

/** Tokens of a request for which there is room beside its answer. */
function tokensThatFit(window: number, outputMax: number): number {
  return Math.floor(Math.max(window * ANSWER_SHARE, Math.min(window * FULL_SHARE, window - outputMax)));
}

/** Summarises the path when the next request would hardly fit. A failure ends the turn. */
export async function makeRoom(work: RoomWork): Promise<'enough' | 'made' | HubError> {
  const { room, path, settings, model } = work;
  if (!mayCompact(work)) return 'enough';
  const rough = pathTokens(path, { measure: room.measure, prefix: settings.settings });
  if (rough < SMALL_TOKENS) return 'enough';
  const window = await room.window();
  if (window === null) return 'enough';
  const most = tokensThatFit(window, outputTokensMax(model));
  if (room.measure === null && rough > most * COUNTED_SHARE) {
    room.measure = await countedOf(work.reach, work.turn.tree, path);
  }
  const tokens = pathTokens(path, { measure: room.measure, prefix: settings.settings });
  if (tokens <= most) return 'enough';
  const failure = await compact(work, tokens);
  if (failure === null) {
    // What is always sent fills the window alone: the same after every step would only cost.
    if (pathTokens(path, { measure: null, prefix: settings.settings }) > most) room.mode = 'off';
    return 'made';
  }
  if (failure.kind !== 'rejected' && failure.kind !== 'context_too_long') return failure;
  // Without a summary the request may fit all the same; to ask for one at every step would only cost.
  room.mode = 'off';
  return 'enough';
}

/** Whether a server refused a path for its length, and summarising it may help. */
export function mayHelp(work: RoomWork, { answer, failure }: ModelReply): boolean {
  return failure?.kind === 'context_too_long' && answer.blocks.length === 0 && mayCompact(work);
}

/** Summarises a path that was refused for its length. */
export function makeRoomAfterRefusal(work: RoomWork): Promise<HubError | null> {
  return compact(work, pathTokens(work.path, { measure: work.room.measure, prefix: work.settings.settings }));
}

/** Remembers what was counted of a path, for the next estimate. */
export function rememberCounted({ room, path }: RoomWork, { answer }: ModelReply, sent: number): void {
  if (answer.usage === null) return;
  room.measure = { tokens: usedTokens(answer.usage), nodes: Math.min(sent + 1, path.length) };
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
  });
  if ('kind' in compacted) return compacted;
  room.measure = null;
  return null;
}
