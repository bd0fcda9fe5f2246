import { createHistory, type History, type HistoryDraft, type HistoryTurn, saysNothing } from './history.js';
import { field, jsonOrText, listField, secondsField, textField } from './json_fields.js';

/** Reads the conversations of an export from ChatGPT: each is a tree already, in which an edited question is a branch. */
export async function* readChatgpt(records: AsyncIterable<unknown>): AsyncGenerator<History> {
  for await (const record of records) {
    if (typeof field(record, 'mapping') === 'object') yield conversationOf(record);
  }
}

interface Entry {
  id: string;
  above: HistoryTurn | null;
}

function conversationOf(record: unknown): History {
  const draft = createHistory();
  draft.history.session = textField(record, 'conversation_id') ?? textField(record, 'id');
  draft.history.name = textField(record, 'title');
  const mapping = new Map(Object.entries(Object(field(record, 'mapping'))));
  const entries: Entry[] = [];
  for (const [id, node] of mapping) {
    const parent = textField(node, 'parent');
    if (parent !== null && mapping.has(parent)) continue;
    if (parent !== null) draft.history.orphans += 1;
    entries.push({ id, above: null });
  }
  const seen = new Set<string>();
  for (let entry = entries.pop(); entry !== undefined; entry = entries.pop()) {
    if (seen.has(entry.id)) continue;
    seen.add(entry.id);
    const node = mapping.get(entry.id);
    const above = takeMessage(draft, { id: entry.id, message: field(node, 'message') }, entry.above);
    for (const child of listField(node, 'children').toReversed()) {
      if (typeof child === 'string') entries.push({ id: child, above });
    }
  }
  return draft.history;
}

interface Message {
  id: string;
  message: unknown;
}

function takeMessage(draft: HistoryDraft, { id, message }: Message, above: HistoryTurn | null): HistoryTurn | null {
  const atMs = secondsField(message, 'create_time');
  const text = textOf(message);
  if (field(message, 'metadata', 'is_visually_hidden_from_conversation') === true) return above;
  switch (textField(message, 'author', 'role')) {
    case 'user':
      return saysNothing({ kind: 'user', atMs, text }) ? above : draft.add(above, { kind: 'user', atMs, text });
    case 'assistant':
      return takeAnswer(draft, { id, message }, above);
    case 'tool':
      // Results stand below the call that they answer.
      for (const call of above?.calls ?? []) draft.answer(call.id, { output: text, failed: false });
      return above;
    default:
      return above;
  }
}

function takeAnswer(draft: HistoryDraft, { id, message }: Message, above: HistoryTurn | null): HistoryTurn | null {
  const atMs = secondsField(message, 'create_time');
  const text = textOf(message);
  const recipient = textField(message, 'recipient') ?? 'all';
  if (saysNothing({ kind: 'assistant', atMs, text })) return above;
  if (textField(message, 'content', 'content_type') === 'thoughts') {
    return draft.add(above, { kind: 'assistant', atMs, thinking: text });
  }
  if (recipient === 'all') return draft.add(above, { kind: 'assistant', atMs, text });
  const turn = draft.add(above, { kind: 'assistant', atMs });
  draft.call(turn, { id, tool: recipient, input: jsonOrText(text) });
  return turn;
}

function textOf(message: unknown): string {
  const parts = listField(message, 'content', 'parts').map((part) =>
    typeof part === 'string' ? part : (textField(part, 'text') ?? `[${textField(part, 'content_type') ?? 'data'}]`),
  );
  const thoughts = listField(message, 'content', 'thoughts').map((part) => textField(part, 'content') ?? '');
  const [text, result] = [textField(message, 'content', 'text'), textField(message, 'content', 'result')];
  return [...parts, ...thoughts, ...[text, result].filter((one) => one !== null)]
    .filter((one) => one !== '')
    .join('\n');
}
