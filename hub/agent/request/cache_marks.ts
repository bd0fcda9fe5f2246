import { blocksOfType } from '../../base/node_blocks.js';
import type { ModelMessage } from '../../protocol/methods/context_methods.js';

/** Marks that a request has for its messages, besides the one after its system prompt and tools. */
export const MESSAGE_MARKS_MAX = 3;

/**
 * The messages after which a prefix cache is told to keep what it has read: the newest places where a path can go on in
 * several ways. Those are the ends of what was said to the model, with which every earlier request on this path has
 * ended, and answers without calls, from which forks grow. A server looks back only 20 blocks from a mark; with a mark at
 * the end of the request before, what that wrote is found however many calls came since. The places follow from the messages alone,
 * so that a fork finds what its siblings wrote.
 */
export function cacheMarks(messages: readonly ModelMessage[]): number[] {
  const places: number[] = [];
  for (const [place, message] of messages.entries()) {
    const isLast = messages[place + 1]?.role !== message.role;
    const isOpen = message.role === 'assistant' && blocksOfType(message.content, 'call').length > 0;
    if (isLast && !isOpen) places.push(place);
  }
  return places.slice(-MESSAGE_MARKS_MAX);
}
