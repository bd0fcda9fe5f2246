import type { AgentEvent } from '../../../hub/protocol/turn.js';

type Printed = Pick<Extract<AgentEvent, { kind: 'call_output' }>, 'from' | 'data'>;

/** Decodes what one call prints: a character may be cut between two pieces of a stream. */
export type PrintedText = (piece: Printed) => string;

export function createPrintedText(): PrintedText {
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  return ({ from, data }) => decoders[from].decode(Buffer.from(data, 'base64'), { stream: true });
}
