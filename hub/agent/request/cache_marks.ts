import { blocksOfType } from '../../base/node_blocks.js';
import type { ModelMessage } from '../../protocol/methods/context_methods.js';

/** The most marks among the messages of a request, besides the one after its system prompt and tools. */
export const MESSAGE_MARKS_MAX = 3;

/**
 * The messages after which a prefix cache is told to keep what it has read: the newest ones at which a path can fork. Those
 * are the ends of what was said to the model, with which every earlier request on this path ended, and answers without
 * calls, from which forks grow. A server looks back only 20 blocks from a mark; with a mark at the end of the previous
 * request, what that wrote is found however many calls came since. The marks follow from the messages alone, so that a
 * fork finds what its siblings wrote.
 */
export function cacheMarks(messages: readonly ModelMessage[]): number[] {
  const indexes: number[] = [];
  for (const [index, message] of messages.entries()) {
    const isLast = messages[index + 1]?.role !== message.role;
    const isOpen = message.role === 'assistant' && blocksOfType(message.content, 'call').length > 0;
    if (isLast && !isOpen) indexes.push(index);
  }
  return indexes.slice(-MESSAGE_MARKS_MAX);
}
