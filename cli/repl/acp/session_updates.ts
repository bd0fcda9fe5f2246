import { resolve } from 'node:path';
import type { SessionUpdate, ToolCallContent, ToolKind } from '@agentclientprotocol/sdk/unstable';
import { callText } from '../../../hub/base/call_title.js';
import type { BlockChange, DisplayBlock, DisplayCall } from '../../display/block.js';
import { cleanOutput } from '../../render/node/call_line.js';
import { clean, cleanLine } from '../../render/text/clean.js';

/** More of a call's argument is no title. */
const TITLE_LENGTH_MAX = 200;

const KINDS: Readonly<Record<string, ToolKind>> = {
  read: 'read',
  write: 'edit',
  edit: 'edit',
  bash: 'execute',
  fetch: 'fetch',
};

/** What an editor is told of a change of a block, in the folder that its session works in. */
export function updatesOf(change: BlockChange, cwd: string): SessionUpdate[] {
  switch (change.kind) {
    case 'block_started':
      return [begunCall(change.block, cwd)];
    case 'call_waits':
      return [{ sessionUpdate: 'tool_call_update', toolCallId: change.id, status: 'pending' }];
    case 'block_grew':
      return growthOf(change.block, change.added);
    case 'block_restarted':
      return change.block.kind === 'answer' ? [answerChunk(change.block.id, '\n\n(the answer starts again)\n\n')] : [];
    case 'block_ended':
      return endedBlock(change.block, cwd);
  }
}

/** What an editor is told of a block that was said before. */
export function replayOf(block: DisplayBlock, cwd: string): SessionUpdate[] {
  switch (block.kind) {
    case 'answer':
      return block.text === '' ? [] : [answerChunk(block.id, block.text)];
    case 'thinking':
      return [thoughtChunk(block.text)];
    case 'message':
      return [messageChunk(block.id, block.text)];
    case 'call':
      return [begunCall(block, cwd), ...endedBlock(block, cwd)];
    case 'summary':
      return endedBlock(block, cwd);
  }
}

/** A piece of the answer with this id; of what no node says without one. */
export function answerChunk(id: string | null, text: string): SessionUpdate {
  const messageId = id === null ? {} : { messageId: id };
  return { sessionUpdate: 'agent_message_chunk', ...messageId, content: { type: 'text', text: clean(text) } };
}

/** Something said beside the answer, which is no part of it. */
export function thoughtChunk(text: string): SessionUpdate {
  return { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: clean(text) } };
}

/** A text as it is, in Markdown. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text.replace(/\n$/, '')}\n${fence}`;
}

export function textContent(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text } };
}

function messageChunk(messageId: string, text: string): SessionUpdate {
  return { sessionUpdate: 'user_message_chunk', messageId, content: { type: 'text', text } };
}

function growthOf(block: DisplayBlock, added: string): SessionUpdate[] {
  switch (block.kind) {
    case 'answer':
      return [answerChunk(block.id, added)];
    case 'thinking':
      return [thoughtChunk(added)];
    case 'call':
      return [{ sessionUpdate: 'tool_call_update', toolCallId: block.id, content: output(block, block.printed) }];
    default:
      return [];
  }
}

/** Answers and thoughts came piece by piece; what this person said stands in their editor already. */
function endedBlock(block: DisplayBlock, cwd: string): SessionUpdate[] {
  switch (block.kind) {
    case 'message':
      return block.by === 'us' ? [] : [messageChunk(block.id, block.text)];
    case 'summary':
      return [answerChunk(block.id, `Summary: ${block.text.trim()}`)];
    case 'call':
      return block.outcome === null ? [] : [endedCall(block, block.outcome, cwd)];
    default:
      return [];
  }
}

function begunCall(block: DisplayCall, cwd: string): SessionUpdate {
  const { id, tool, input } = block;
  const said = cleanLine(callText(input).slice(0, TITLE_LENGTH_MAX));
  const path = pathIn(block, cwd);
  return {
    ...{ sessionUpdate: 'tool_call', toolCallId: id, status: 'in_progress', name: tool },
    ...{ title: tool === 'bash' ? said : `${tool} ${said}`, kind: KINDS[tool] ?? 'other', rawInput: input },
    content: diffOf(block, cwd),
    locations: path === null ? [] : [{ path }],
  };
}

function endedCall(block: DisplayCall, outcome: NonNullable<DisplayCall['outcome']>, cwd: string): SessionUpdate {
  const { failed, text, remark } = outcome;
  const words = [text, remark === null ? '' : `(${remark})`].filter((part) => part !== '').join('\n');
  const diff = failed ? [] : diffOf(block, cwd);
  return {
    ...{ sessionUpdate: 'tool_call_update', toolCallId: block.id, status: failed ? 'failed' : 'completed' },
    content: diff.length > 0 ? diff : output(block, words),
  };
}

function output({ tool }: DisplayCall, text: string): ToolCallContent[] {
  return text === '' ? [] : [textContent(fenced(cleanOutput(tool, text)))];
}

/** What a change of a file comes to, as far as the call itself says it. */
function diffOf(block: DisplayCall, cwd: string): ToolCallContent[] {
  const path = block.tool === 'write' || block.tool === 'edit' ? pathIn(block, cwd) : null;
  const newText = textIn(block.input, block.tool === 'write' ? 'content' : 'new_text');
  if (path === null || newText === null) return [];
  return [{ type: 'diff', path, oldText: textIn(block.input, 'old_text'), newText }];
}

function pathIn({ input }: DisplayCall, cwd: string): string | null {
  const path = textIn(input, 'path');
  return path === null || path.startsWith('output:') ? null : resolve(cwd, path);
}

function textIn(input: unknown, field: string): string | null {
  const value: unknown = input !== null && typeof input === 'object' ? Reflect.get(input, field) : null;
  return typeof value === 'string' ? value : null;
}
