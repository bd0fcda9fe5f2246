import type { CallToolResult } from '@modelcontextprotocol/server';
import { HubError } from '../../hub/base/error.js';
import { shortened } from '../../hub/base/head_and_tail.js';
import { hintText } from '../../hub/base/hint.js';
import { reasonOf } from '../output/failure.js';

/** Codex cuts what is longer in its middle, and keeps nothing of that. */
export const REPLY_LENGTH_MAX = 10_000;
const SHRINK = 0.8;

/** What an answer is about, and where all of it stands. */
export interface ReplyFacts {
  session_id: string;
  tree: string;
  node: string;
  /** The file with all of the run; null where none could be written. */
  file: string | null;
  state: string;
}

/** An answer in words. Some agents show the text, others the data: both say all, the place of the whole first. */
export function answerReply(facts: ReplyFacts, answer: string): CallToolResult {
  const { session_id: session, node, file } = facts;
  const first = `session ${session}, node ${node}${file === null ? '' : `, all of it in ${file}`}`;
  for (let bytesMax = REPLY_LENGTH_MAX; ; bytesMax = Math.floor(bytesMax * SHRINK)) {
    const { text, leftOutBytes } = shortened(answer, bytesMax);
    const structuredContent = { ...facts, first, text, is_cut: leftOutBytes > 0 };
    const all = `${first}\n\n${text}`;
    if (fits(all, structuredContent) || bytesMax < 100) return replyOf(all, structuredContent);
  }
}

/** A list, without its last items where they do not fit. */
export function listReply<T extends object, K extends keyof T>(
  data: T,
  key: K,
  line: (data: T) => string,
): CallToolResult {
  const items = data[key];
  const all = Array.isArray(items) ? items : [];
  for (let count = all.length; ; count = Math.floor(count * SHRINK)) {
    const shown = { ...data, [key]: all.slice(0, count), is_cut: count < all.length };
    const text = line(shown);
    if (fits(text, shown) || count === 0) return replyOf(text, shown);
  }
}

/** A failure in words that read as one, for agents that show nothing but the text. */
export function failureReply(tool: string, error: unknown): CallToolResult {
  const hint = error instanceof HubError && error.hint !== null ? `\nhint: ${hintText(error.hint)}` : '';
  const text = `${tool} failed: ${reasonOf(error)}${hint}`;
  return { isError: true, content: [{ type: 'text', text: shortened(text, REPLY_LENGTH_MAX / 2).text }] };
}

function fits(text: string, data: object): boolean {
  return text.length <= REPLY_LENGTH_MAX && JSON.stringify(data).length <= REPLY_LENGTH_MAX;
}

function replyOf(text: string, structuredContent: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text }], structuredContent };
}
