import { shortened } from '../../base/head_and_tail.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import type { NodeId, Output, TreeId } from '../../protocol/node.js';
import type { TurnOutcome, TurnReason } from '../../protocol/turn.js';
import type { CallResult } from '../tools/model_call.js';

/** The most bytes of an answer that the parent's model is shown. */
const SHOWN_BYTES_MAX = 30_000;
const PIECE_BYTES = 1024 * 1024;

/** The source and version in the handles of sub-sessions. */
export const SESSION_SOURCE = { source: 'session', source_version: '1.0.0' };

/** How a sub-session came to its end. */
export type SessionEnd = Pick<TurnOutcome, 'turn' | 'state' | 'why' | 'failure' | 'tip' | 'text'>;

export interface EndedSession {
  /** The node that stands for it. */
  id: NodeId;
  call: string;
  tool: string;
  input: CallResult['external']['call']['input'];
  tree: TreeId;
  model: string;
  task: string;
  attachable: boolean;
  /** Whether it had a copy of the project. */
  isOwn: boolean;
  durationMs: number;
  /** A remark at the end of the result. */
  remark: string | null;
}

/** The result of a call that started a sub-session: its last answer, or in one line why there is none. */
export async function sessionResult(
  reach: InternalCaller,
  session: EndedSession,
  end: SessionEnd,
): Promise<CallResult> {
  const { id, call, tool, input, tree, model, task } = session;
  const output = await stored(reach, id, end.text);
  return {
    blocks: [{ type: 'text', text: wordsOf(session, end) }],
    external: {
      call: { tool, input, id: call },
      handle: {
        ...{ ...SESSION_SOURCE, identifier: tree },
        metadata: { turn: end.turn, tip: end.tip, state: end.state, model, task },
      },
      ...{ output, exit_code: end.state === 'done' ? 0 : 1, signal: null, cwd: null },
      duration_ms: Math.max(0, Math.round(session.durationMs)),
    },
  };
}

/** Keeps the answer whole, so that it can be read on and is the same for ever. */
async function stored(reach: InternalCaller, upload: NodeId, text: string): Promise<Output | null> {
  const bytes = Buffer.from(text);
  for (let offset = 0; offset < bytes.length; offset += PIECE_BYTES) {
    const piece = bytes.subarray(offset, offset + PIECE_BYTES);
    const done = offset + piece.length === bytes.length;
    const { output } = await callHub(reach, 'loom.blob_write', {
      upload,
      offset,
      data: piece.toString('base64'),
      done,
    });
    if (done) return output;
  }
  return null;
}

function wordsOf({ id, tree, attachable, isOwn, remark }: EndedSession, end: SessionEnd): string {
  const { text, leftOutBytes } = shortened(end.text, SHOWN_BYTES_MAX);
  const said = leftOutBytes === 0 ? text : `${text}\n[to read all of it: read output:${id}]`;
  const parts = [
    ...(end.state === 'done' ? [] : [failureOf(end, tree)]),
    ...(said.trim() === '' ? [] : [said]),
    ...(remark === null ? [] : [`[${remark}]`]),
    ...(isOwn
      ? [`[It has worked in a copy of the project. A person takes its files with: cognition pick 1 ${tree}]`]
      : []),
    ...(attachable ? [`[A person opens this sub-session with: cognition chat ${tree}]`] : []),
  ];
  return parts.length === 0 ? '[it has said nothing]' : parts.join('\n\n');
}

export function failureOf({ state, why, failure, text }: SessionEnd, tree: TreeId): string {
  const ended = failure === null ? REASONS[why ?? 'hub_ended'] : `failed: ${lineOf(failure.message)}`;
  const reason = state === 'waiting' ? `waits for a person, who may say: cognition answer ${tree}` : ended;
  return `[The sub-session ${reason}${text.trim() === '' ? '' : '; what it said last follows'}]`;
}

function lineOf(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

const REASONS: Record<TurnReason, string> = {
  answered: 'ended',
  question: 'waits for a person to answer its questions',
  iterations: 'was stopped: it has given as many answers as it may',
  tokens: 'was stopped: there are no tokens left',
  cost: 'was stopped: there is no money left',
  time: 'was stopped: its time is over',
  max_tokens: 'was stopped: its answer was longer than the model may write at once',
  refused: 'was refused by the model',
  empty: 'said nothing',
  context_too_long: 'was stopped: its conversation is longer than the model can read',
  asked: 'was interrupted',
  hub_ended: 'was interrupted: the hub has ended',
  failed: 'failed',
};
