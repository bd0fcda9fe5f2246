import type { AgentEvent } from '../../hub/protocol/turn.js';
import { type HeldBack, NOTHING_HELD } from '../render/text/clean.js';

/** What a command prints: a part of one of its two streams, as base64. */
export type OutputPiece = Pick<Extract<AgentEvent, { kind: 'call_output' }>, 'from' | 'data'>;

/** The bytes of a character whose end has not come yet, by stream. */
export type CutCharacters = Readonly<Record<OutputPiece['from'], Uint8Array>>;

const NO_BYTES = new Uint8Array();
export const NO_CUT_CHARACTERS: CutCharacters = { stdout: NO_BYTES, stderr: NO_BYTES };

/** Decodes a piece of an output: a character may be cut between two pieces of a stream. */
export function decodePiece(cut: CutCharacters, { from, data }: OutputPiece): { text: string; cut: CutCharacters } {
  const bytes = Buffer.concat([cut[from], Buffer.from(data, 'base64')]);
  const end = bytes.length - cutLength(bytes);
  return { text: bytes.toString('utf8', 0, end), cut: { ...cut, [from]: Uint8Array.from(bytes.subarray(end)) } };
}

/** How many bytes at the end begin a character of which more must follow: in UTF-8 its first byte tells its length. */
function cutLength(bytes: Uint8Array): number {
  const last = bytes.subarray(-3);
  const lead = last.findLastIndex((byte) => byte >= 0xc0);
  if (lead < 0) return 0;
  const length = 1 + [0xc0, 0xe0, 0xf0].filter((first) => (last[lead] ?? 0) >= first).length;
  return last.length - lead < length ? last.length - lead : 0;
}

/** What of an output is not whole yet: a cut character, and an unended control sequence. */
export interface OpenOutput {
  cut: CutCharacters;
  held: HeldBack;
}

export const NO_OUTPUT: OpenOutput = { cut: NO_CUT_CHARACTERS, held: NOTHING_HELD };
