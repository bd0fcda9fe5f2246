import * as z from 'zod';
import { BLOCKS_MAX } from '../../../protocol/limits.js';
import type { ModelEvent } from '../../model/provider.js';
import { storedToolName } from '../blocks/call_ids_and_tool_names.js';
import { finishedCall, type WrittenCall } from '../blocks/call_input.js';

/** A piece of a call: servers differ in which fields they send, and how often. */
export const CallPiece = z.object({
  index: z.number().nullish(),
  id: z.string().nullish(),
  function: z.object({ name: z.string().nullish(), arguments: z.unknown().optional() }).nullish(),
});
type CallPiece = z.infer<typeof CallPiece>;

interface Slot extends WrittenCall {
  /** The server's index and id of the call, by which later pieces find it. */
  index: number | null;
  serverId: string | null;
  /** The number of the chunk in which it began. */
  chunk: number;
  isMixedUp: boolean;
}

/** Assembles the calls of one answer from their pieces. */
export interface CallAssembly {
  /** Adds the pieces of one chunk. */
  add(pieces: readonly CallPiece[]): ModelEvent[];
  /** All calls in their order, once nothing more can come. */
  finish(): ModelEvent[];
  count(): number;
}

export function assembleCalls(idFor: (serverId: string | null) => string): CallAssembly {
  const slots: Slot[] = [];
  let chunk = 0;
  const begin = (piece: CallPiece): Slot => {
    const serverId = piece.id || null;
    const slot: Slot = {
      id: idFor(serverId),
      tool: storedToolName(piece.function?.name ?? ''),
      text: '',
      index: piece.index ?? null,
      serverId,
      chunk,
      isMixedUp: false,
    };
    slots.push(slot);
    return slot;
  };
  return {
    add(pieces) {
      chunk += 1;
      return pieces.flatMap((piece) => {
        const existing = slotOf(slots, piece);
        // No answer can hold more of them.
        if (existing === null && slots.length >= BLOCKS_MAX) return [];
        const slot = existing ?? begin(piece);
        const events: ModelEvent[] = existing ? [] : [{ kind: 'call_begun', id: slot.id, tool: slot.tool }];
        const text = inputText(piece.function?.arguments);
        slot.text += text;
        return text === '' ? events : [...events, { kind: 'call_input', id: slot.id, text }];
      });
    },
    finish: () => slots.map((slot) => (slot.isMixedUp ? mixedUp(slot) : finishedCall(slot))),
    count: () => slots.length,
  };
}

/**
 * The call that a piece continues; null when it begins one. The id decides first: some servers give every call the index 0.
 * A piece without id and index continues the newest call, unless it has a name.
 */
function slotOf(slots: Slot[], piece: CallPiece): Slot | null {
  const { index } = piece;
  if (piece.id) {
    const same = slots.find(({ serverId }) => serverId === piece.id);
    if (same) return same;
    // An id that comes late belongs to the call with that index and without an id.
    return slots.find((slot) => slot.serverId === null && typeof index === 'number' && slot.index === index) ?? null;
  }
  if (typeof index === 'number') {
    const same = slots.findLast((slot) => slot.index === index);
    return same === undefined || isAnother(same, piece) ? null : same;
  }
  if (piece.function?.name) return null;
  const newest = slots.at(-1);
  if (newest === undefined) return null;
  const together = slots.filter(({ chunk }) => chunk === newest.chunk);
  // With several it is unknowable which it belongs to, and a wrong guess is a call that the model never made.
  if (together.length > 1) for (const slot of together) slot.isMixedUp = true;
  return newest;
}

/** Whether a piece with a call's index begins another call: some servers give all of them the index 0, and no ids. */
function isAnother({ tool, text }: Slot, { function: named }: CallPiece): boolean {
  if (!named?.name) return false;
  return storedToolName(named.name) !== tool || isWhole(text);
}

/** Whether a text is a whole JSON object. */
function isWhole(text: string): boolean {
  return text.trimEnd().endsWith('}') && finishedCall({ id: '', tool: '', text }).kind === 'call_made';
}

function inputText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === null || value === undefined ? '' : JSON.stringify(value);
}

function mixedUp({ id, tool, text }: Slot): ModelEvent {
  const problem = `the input of ${tool} got mixed up with another call's on the way; nothing was done, call one tool at a time`;
  return { kind: 'call_malformed', id, tool, text: text.toWellFormed(), problem };
}
