import {
  addText,
  createHistory,
  type History,
  type HistoryDraft,
  type HistoryTurn,
  imageInAddress,
  saysNothing,
} from './history.js';
import { field, jsonOrText, listField, numberField, textField, timeField } from './json_fields.js';

interface Reading {
  draft: HistoryDraft;
  last: HistoryTurn | null;
}

/**
 * Reads a rollout file of Codex. What a model was sent and answered stands in its response items; its events say the same again, and
 * which session an agent has. Of a fork the beginning is in another file: the records before `base.end` there.
 */
export async function* readCodex(
  records: AsyncIterable<unknown>,
  end = Number.POSITIVE_INFINITY,
): AsyncGenerator<History> {
  const reading: Reading = { draft: createHistory(), last: null };
  let ordinal = -1;
  for await (const record of records) {
    ordinal = numberField(record, 'ordinal') ?? ordinal + 1;
    if (ordinal < end) takeRecord(reading, record);
  }
  yield reading.draft.history;
}

function takeRecord(reading: Reading, record: unknown): void {
  const payload = field(record, 'payload');
  const atMs = timeField(record, 'timestamp');
  switch (textField(record, 'type') ?? '') {
    case 'session_meta':
      takeSession(reading.draft.history, payload);
      return;
    case 'response_item':
      takeItem(reading, payload, atMs);
      return;
    case 'compacted':
      takeSummary(reading, textField(payload, 'message') ?? '', atMs);
      return;
    case 'event_msg':
      takeEvent(reading.draft, payload);
  }
}

function takeSession(history: History, meta: unknown): void {
  if (history.session !== null) return;
  history.session = textField(meta, 'id');
  history.cwd = textField(meta, 'cwd');
  history.parentSession =
    textField(meta, 'parent_thread_id') ?? textField(meta, 'source', 'subagent', 'thread_spawn', 'parent_thread_id');
  const [session, end] = [
    textField(meta, 'history_base', 'thread_id'),
    numberField(meta, 'history_base', 'end_ordinal_exclusive'),
  ];
  if (session !== null && end !== null) history.base = { session, end };
}

function takeItem(reading: Reading, item: unknown, atMs: number): void {
  switch (textField(item, 'type') ?? '') {
    case 'message':
      if (textField(item, 'role') === 'assistant') takeAnswer(reading, item, atMs);
      else if (textField(item, 'role') === 'user') takeUser(reading, item, atMs);
      return;
    case 'reasoning':
      for (const part of listField(item, 'summary')) {
        addText(openAnswer(reading, atMs), 'thinking', textField(part, 'text'));
      }
      return;
    case 'function_call':
      takeCall(reading, { item, atMs, input: jsonOrText(textField(item, 'arguments') ?? '') });
      return;
    case 'custom_tool_call':
      takeCall(reading, { item, atMs, input: jsonOrText(textField(item, 'input') ?? '') });
      return;
    case 'local_shell_call':
      takeCall(reading, { item, atMs, input: field(item, 'action') });
      return;
    case 'function_call_output':
    case 'custom_tool_call_output':
      takeOutput(reading, item);
  }
}

/** What its program says in the place of a person. Newer versions mark it. */
const INJECTED =
  /^\s*<(?:environment_context|user_instructions|turn_aborted|permissions|skills)|^# AGENTS\.md instructions/;
const IMAGE_TAG = /^(?:<image name=.*>|<\/image>)$/;

function takeUser(reading: Reading, item: unknown, atMs: number): void {
  const kinds = listField(item, 'internal_chat_message_metadata_passthrough', 'content_item_kinds');
  const texts = listField(item, 'content').map((part) => textField(part, 'text') ?? '');
  const text = texts.filter((one) => one !== '' && !IMAGE_TAG.test(one)).join('\n');
  const isTold = kinds.some((kind) => typeof kind === 'string' && /^(?:user|multi_agent)\./.test(kind));
  if (kinds.length > 0 ? !isTold : INJECTED.test(text)) return;
  const images = listField(item, 'content').flatMap((part) => imageInAddress(textField(part, 'image_url')));
  const content = { kind: 'user' as const, atMs, text, images };
  if (!saysNothing(content)) reading.last = reading.draft.add(reading.last, content);
}

function takeAnswer(reading: Reading, item: unknown, atMs: number): void {
  const text = listField(item, 'content')
    .map((part) => textField(part, 'text') ?? '')
    .join('\n');
  const open = openAnswer(reading, atMs);
  const turn = open.text === '' ? open : newAnswer(reading, atMs);
  addText(turn, 'text', text);
}

/** The answer that is being given: results of its calls end it. */
function openAnswer(reading: Reading, atMs: number): HistoryTurn {
  const { last } = reading;
  if (last?.kind === 'assistant' && last.calls.every(({ output }) => output === null)) return last;
  return newAnswer(reading, atMs);
}

function newAnswer(reading: Reading, atMs: number): HistoryTurn {
  const turn = reading.draft.add(reading.last, { kind: 'assistant', atMs });
  reading.last = turn;
  return turn;
}

function takeCall(reading: Reading, { item, atMs, input }: { item: unknown; atMs: number; input: unknown }): void {
  const [id, tool] = [textField(item, 'call_id') ?? '', textField(item, 'name') ?? 'shell'];
  reading.draft.call(openAnswer(reading, atMs), { id, tool, input });
}

function takeOutput({ draft }: Reading, item: unknown): void {
  const parts = listField(item, 'output').map((part) => textField(part, 'text') ?? '');
  const whole = textField(item, 'output') ?? textField(item, 'output', 'content') ?? parts.join('\n');
  const older = jsonOrText(whole);
  const output = textField(older, 'output') ?? whole;
  const code =
    numberField(older, 'metadata', 'exit_code') ?? Number(/^Process exited with code (\d{1,3})$/m.exec(output)?.[1]);
  const exitCode = Number.isInteger(code) ? code : null;
  draft.answer(textField(item, 'call_id') ?? '', { output, exitCode, failed: (exitCode ?? 0) !== 0 });
}

/** The answer that a summary was made of is no turn. */
function takeSummary(reading: Reading, text: string, atMs: number): void {
  const { draft, last } = reading;
  if (last?.kind === 'assistant' && last.text !== '' && text.includes(last.text)) {
    draft.history.turns.pop();
    reading.last = last.parent;
  }
  if (text !== '') reading.last = draft.add(reading.last, { kind: 'summary', atMs, text });
}

function takeEvent(draft: HistoryDraft, event: unknown): void {
  const item = field(event, 'item');
  if (textField(item, 'type') !== 'CollabAgentToolCall') return;
  const [agent] = listField(item, 'receiver_thread_ids');
  const call = draft.history.turns.flatMap(({ calls }) => calls).findLast(({ id }) => id === textField(item, 'id'));
  if (call !== undefined && typeof agent === 'string') call.agent = agent;
}
