import type { ReaderReply } from '../read/read_methods.js';
import type { LongReply } from '../store/thread_messages.js';

/** The longest result that crosses to the main thread as text. */
const TEXT_LENGTH_MAX = 64 * 1024;

/** An answer as it crosses to the main thread: a long one as bytes. */
export function toPosted<R extends ReaderReply>(reply: R): R | LongReply {
  if (!('json' in reply) || reply.json.length <= TEXT_LENGTH_MAX) return reply;
  return { id: reply.id, bytes: new TextEncoder().encode(reply.json) };
}

/** What crosses without a copy. */
export function buffersOf(replies: readonly ReaderReply[]): ArrayBuffer[] {
  return replies.flatMap((reply) => ('bytes' in reply ? [reply.bytes.buffer] : []));
}
