import { addText, createHistory, type History, type HistoryDraft, type HistoryTurn, saysNothing } from './history.js';
import { field, listField, textField, timeField } from './json_fields.js';

interface Reading {
  draft: HistoryDraft;
  /** The turn of each message by its id, or of the message before it where it is none. */
  known: Map<string, HistoryTurn | null>;
  /** The last message of the list as it stands. */
  last: HistoryTurn | null;
}

/**
 * Reads a session file of Gemini CLI: headers, messages, and `$set` records that give the whole list again. A message that is
 * known already is at its place; a list that has lost messages is a rewind, so that what follows is another branch.
 */
export async function* readGemini(records: AsyncIterable<unknown>): AsyncGenerator<History> {
  const reading: Reading = { draft: createHistory(), known: new Map(), last: null };
  const { history } = reading.draft;
  for await (const record of records) {
    history.session ??= textField(record, 'sessionId');
    history.cwd ??= textField(listField(record, 'directories')[0]);
    const list = field(record, '$set', 'messages') ?? field(record, 'messages');
    if (Array.isArray(list)) takeList(reading, list);
    else if (textField(record, 'id') !== null) takeMessage(reading, record);
  }
  yield history;
}

function takeList(reading: Reading, messages: readonly unknown[]): void {
  reading.last = null;
  for (const message of messages) {
    const known = reading.known.get(textField(message, 'id') ?? '');
    if (known === undefined) takeMessage(reading, message);
    else reading.last = known ?? reading.last;
  }
}

function takeMessage(reading: Reading, message: unknown): void {
  const id = textField(message, 'id') ?? '';
  const known = reading.known.get(id);
  if (known === undefined) {
    const turn = textField(message, 'type') === 'gemini' ? takeAnswer(reading, message) : takeUser(reading, message);
    reading.known.set(id, turn);
    reading.last = turn ?? reading.last;
  } else if (known !== null && known.kind === 'assistant') {
    // The record of an answer is written again with its calls.
    takeCalls(reading.draft, known, message);
  }
}

const INJECTED = /^\s*<session_context>/;

function takeUser({ draft, last }: Reading, message: unknown): HistoryTurn | null {
  for (const part of listField(message, 'content')) {
    const response = field(part, 'functionResponse');
    if (response !== undefined) takeResult(draft, response, false);
  }
  const images = listField(message, 'content').flatMap((part) => {
    const base64 = textField(part, 'inlineData', 'data');
    return base64 === null ? [] : [{ base64 }];
  });
  const text = textOf(message);
  const content = { kind: 'user' as const, atMs: timeField(message, 'timestamp'), text, images };
  const isSaid = ['user', null].includes(textField(message, 'type'));
  return !isSaid || INJECTED.test(text) || saysNothing(content) ? null : draft.add(last, content);
}

function takeAnswer({ draft, last }: Reading, message: unknown): HistoryTurn | null {
  const turn = draft.add(last, { kind: 'assistant', atMs: timeField(message, 'timestamp'), text: textOf(message) });
  for (const thought of listField(message, 'thoughts')) {
    const [subject, description] = [textField(thought, 'subject'), textField(thought, 'description')];
    addText(turn, 'thinking', [subject, description].filter((part) => part !== null).join(': '));
  }
  for (const part of listField(message, 'content')) {
    const call = field(part, 'functionCall');
    if (call !== undefined) takeCall(draft, turn, call);
  }
  takeCalls(draft, turn, message);
  return turn;
}

function takeCalls(draft: HistoryDraft, turn: HistoryTurn, message: unknown): void {
  const thereAre = new Set(turn.calls.map(({ id }) => id));
  for (const call of listField(message, 'toolCalls')) {
    const id = textField(call, 'id') ?? '';
    if (!thereAre.has(id)) takeCall(draft, turn, call);
    for (const result of listField(call, 'result')) {
      const failed = textField(call, 'status') === 'error';
      takeResult(draft, field(result, 'functionResponse'), failed);
    }
    const agent = textField(call, 'agentId');
    for (const made of turn.calls) if (made.id === id && agent !== null) made.agent = agent;
  }
}

function takeCall(draft: HistoryDraft, turn: HistoryTurn, call: unknown): void {
  const [id, tool] = [textField(call, 'id') ?? '', textField(call, 'name') ?? ''];
  draft.call(turn, { id, tool, input: field(call, 'args') ?? {} });
}

function takeResult(draft: HistoryDraft, response: unknown, isError: boolean): void {
  const output = textField(response, 'response', 'output');
  const error = textField(response, 'response', 'error');
  const text = output ?? error ?? JSON.stringify(field(response, 'response') ?? null);
  const code = /\nExit Code: (\d{1,3})\n/.exec(text)?.[1];
  const exitCode = code === undefined ? null : Number(code);
  const failed = isError || error !== null || (exitCode ?? 0) !== 0;
  draft.answer(textField(response, 'id') ?? '', { output: text, failed, exitCode });
}

function textOf(message: unknown): string {
  const whole = textField(message, 'content');
  if (whole !== null) return whole;
  return listField(message, 'content')
    .map((part) => textField(part, 'text') ?? '')
    .filter((text) => text !== '')
    .join('\n');
}
