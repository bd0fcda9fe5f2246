import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import { groupMembers } from '../group/group_members.js';
import { type GroupQuestion, groupThink } from '../group/group_think.js';
import { keysOf } from '../turn/run_turn.js';
import { tellProgress } from './progress.js';
import type { ToolServerParts } from './run_in_session.js';
import { answerReply } from './tool_reply.js';

export type GroupRequest = Omit<GroupQuestion, 'members' | 'at'> & { models: readonly string[] };

/** Has several models think in a session, and tells meanwhile how it goes. */
export async function thinkInGroup(
  { context, options }: ToolServerParts,
  { models, ...request }: GroupRequest,
  { ctx, signal }: { ctx: ServerContext; signal: AbortSignal },
): Promise<CallToolResult> {
  let doing = 'it begins';
  const members = await groupMembers(context, options, models);
  const progress = tellProgress(ctx, () => doing);
  const tell = (line: string): void => {
    doing = line;
    progress.tell();
  };
  try {
    const parts = { context, options, keys: keysOf(context, options), signal, tell };
    const { session, tree, node, text, members: ends } = await groupThink(parts, { ...request, members, at: null });
    const failed = ends
      .filter(({ failure }) => failure !== null)
      .map(({ model, failure }) => `${model} failed: ${failure}`);
    const facts = { session_id: session, tree, node, file: null, state: 'done' };
    return answerReply(facts, [text, ...failed.map((one) => `(${one})`)].join('\n\n'));
  } finally {
    progress.end();
  }
}
