import {
  addText,
  createHistory,
  type History,
  type HistoryDraft,
  type HistoryTurn,
  imageInAddress,
  saysNothing,
} from './history.js';
import { field, listField, numberField, textField, timeField } from './json_fields.js';

/** Reads what `opencode export` writes: the session, then its messages, each with its parts. */
export async function* readOpencode(records: AsyncIterable<unknown>): AsyncGenerator<History> {
  const draft = createHistory();
  let last: HistoryTurn | null = null;
  for await (const record of records) {
    if (field(record, 'parts') === undefined) takeSession(draft.history, record);
    else last = takeMessage(draft, record, last);
  }
  yield draft.history;
}

function takeSession(history: History, info: unknown): void {
  history.session ??= textField(info, 'id');
  history.cwd ??= textField(info, 'directory');
  history.parentSession ??= textField(info, 'parentID');
}

function takeMessage(draft: HistoryDraft, message: unknown, above: HistoryTurn | null): HistoryTurn | null {
  const atMs = timeField(message, 'info', 'time', 'created');
  if (textField(message, 'info', 'role') === 'assistant') {
    const isSummary = field(message, 'info', 'summary') === true;
    return isSummary ? takeSummary(draft, { message, atMs }, above) : takeAnswer(draft, { message, atMs }, above);
  }
  const images = partsOf(message, 'file').flatMap((part) => imageInAddress(textField(part, 'url')));
  const content = { kind: 'user' as const, atMs, text: textOf(message), images };
  return saysNothing(content) ? above : draft.add(above, content);
}

interface Entry {
  message: unknown;
  atMs: number;
}

function takeSummary(draft: HistoryDraft, { message, atMs }: Entry, above: HistoryTurn | null): HistoryTurn | null {
  const text = textOf(message);
  return text === '' ? above : draft.add(above, { kind: 'summary', atMs, text });
}

function takeAnswer(draft: HistoryDraft, { message, atMs }: Entry, above: HistoryTurn | null): HistoryTurn | null {
  const tools = partsOf(message, 'tool');
  const thoughts = partsOf(message, 'reasoning');
  const text = textOf(message);
  if (text === '' && tools.length === 0 && thoughts.length === 0) return above;
  const turn = draft.add(above, { kind: 'assistant', atMs, text });
  for (const part of thoughts) addText(turn, 'thinking', textField(part, 'text'));
  for (const part of tools) takeCall(draft, turn, part);
  return turn;
}

function takeCall(draft: HistoryDraft, turn: HistoryTurn, part: unknown): void {
  const [id, tool] = [textField(part, 'callID') ?? '', textField(part, 'tool') ?? ''];
  const agent = textField(part, 'state', 'metadata', 'sessionId');
  draft.call(turn, { id, tool, input: field(part, 'state', 'input') ?? {}, agent });
  const output = textField(part, 'state', 'output') ?? textField(part, 'state', 'error');
  if (output === null) return;
  const exitCode = numberField(part, 'state', 'metadata', 'exit');
  const failed = textField(part, 'state', 'status') === 'error' || (exitCode ?? 0) !== 0;
  draft.answer(id, { output, failed, exitCode });
}

function textOf(message: unknown): string {
  return partsOf(message, 'text')
    .filter((part) => field(part, 'ignored') !== true)
    .map((part) => textField(part, 'text') ?? '')
    .join('\n');
}

function partsOf(message: unknown, type: string): unknown[] {
  return listField(message, 'parts').filter((part) => textField(part, 'type') === type);
}
