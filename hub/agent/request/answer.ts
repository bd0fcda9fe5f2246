import type { Block } from '../../protocol/node.js';
import type { EndReason, ModelEvent, TokenUsage } from '../model/provider.js';

/** An answer as far as it has come: at any moment its blocks can be stored. */
export interface Answer {
  /** In the model's order; thinking that is not signed yet has no signature. */
  blocks: Block[];
  /** What is wrong with calls whose input cannot be used, by their id: the failed result of each. */
  malformed: Map<string, string>;
  /** Null when the server has not said. */
  usage: TokenUsage | null;
  /** Null until the answer has ended. */
  end: EndReason | null;
}

export function newAnswer(): Answer {
  return { blocks: [], malformed: new Map(), usage: null, end: null };
}

/** Adds one event to an answer, in place. Calls count once they are complete. */
export function addToAnswer(answer: Answer, event: ModelEvent): void {
  switch (event.kind) {
    case 'text':
    case 'thinking':
      addText(answer.blocks, event);
      break;
    case 'thinking_signed':
      sign(answer.blocks, event.signature);
      break;
    case 'call_begun':
    case 'call_input':
      break;
    case 'call_made':
      answer.blocks.push(event.call);
      break;
    case 'call_malformed':
      // Models are sent their calls back, and what they are sent must be an object.
      answer.blocks.push({ type: 'call', id: event.id, tool: event.tool, input: { not_json: event.text } });
      answer.malformed.set(event.id, event.problem);
      break;
    case 'usage':
      answer.usage = event.usage;
      break;
    case 'end':
      answer.end = event.reason;
  }
}

function addText(blocks: Block[], piece: { kind: 'text' | 'thinking'; text: string }): void {
  const last = blocks.at(-1);
  if (piece.kind === 'text') {
    if (last?.type === 'text') last.text += piece.text;
    else blocks.push({ type: 'text', text: piece.text });
    return;
  }
  // A signed piece of thinking is closed: what follows is another.
  if (last?.type === 'thinking' && last.signature === null) last.text += piece.text;
  else blocks.push({ type: 'thinking', text: piece.text, signature: null });
}

/** A signature may come without any text: the server keeps the thinking to itself, and wants it back all the same. */
function sign(blocks: Block[], signature: string | null): void {
  if (signature === null) return;
  const last = blocks.at(-1);
  if (last?.type === 'thinking' && last.signature === null) last.signature = signature;
  else blocks.push({ type: 'thinking', text: '', signature });
}
