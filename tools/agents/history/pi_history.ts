import { addText, createHistory, type History, type HistoryDraft, type HistoryTurn, saysNothing } from './history.js';
import { field, listField, numberField, textField, timeField } from './json_fields.js';

/** Reads a session file of pi: a header, then entries with `id` and `parentId`. */
export async function* readPi(records: AsyncIterable<unknown>): AsyncGenerator<History> {
  const draft = createHistory();
  const places = new Map<string, HistoryTurn | null>();
  for await (const record of records) {
    if (textField(record, 'type') === 'session') takeHeader(draft, record);
    const [id, parent] = [textField(record, 'id'), textField(record, 'parentId')];
    if (id === null) continue;
    const above = parent === null ? null : places.get(parent);
    if (above === undefined) draft.history.orphans += 1;
    places.set(id, takeEntry(draft, record, above ?? null));
  }
  yield draft.history;
}

function takeHeader({ history }: HistoryDraft, record: unknown): void {
  history.session = textField(record, 'id');
  history.cwd = textField(record, 'cwd');
}

/** The turn that what follows an entry goes below. */
function takeEntry(draft: HistoryDraft, entry: unknown, above: HistoryTurn | null): HistoryTurn | null {
  const atMs = timeField(entry, 'timestamp');
  const summary = textField(entry, 'summary');
  switch (textField(entry, 'type')) {
    case 'message':
      return takeMessage(draft, { message: field(entry, 'message'), atMs }, above);
    case 'compaction':
      return summary === null ? above : draft.add(above, { kind: 'summary', atMs, text: summary });
    case 'branch_summary':
      return summary === null ? above : draft.add(above, { kind: 'user', atMs, text: summary });
    case 'session_info':
      draft.history.name = textField(entry, 'name') ?? draft.history.name;
      return above;
    default:
      return above;
  }
}

interface Entry {
  message: unknown;
  atMs: number;
}

function takeMessage(draft: HistoryDraft, { message, atMs }: Entry, above: HistoryTurn | null): HistoryTurn | null {
  switch (textField(message, 'role')) {
    case 'user': {
      const images = partsOf(message, 'image').map((part) => ({ base64: textField(part, 'data') ?? '' }));
      const content = { kind: 'user' as const, atMs, text: textOf(message), images };
      return saysNothing(content) ? above : draft.add(above, content);
    }
    case 'assistant':
      return takeAnswer(draft, { message, atMs }, above);
    case 'toolResult':
      draft.answer(textField(message, 'toolCallId') ?? '', {
        ...{ output: textOf(message), failed: field(message, 'isError') === true },
        exitCode: exitCodeIn(textOf(message)),
      });
      return above;
    case 'bashExecution':
      return takeCommand(draft, { message, atMs }, above);
    default:
      return above;
  }
}

function takeAnswer(draft: HistoryDraft, { message, atMs }: Entry, above: HistoryTurn | null): HistoryTurn | null {
  if (listField(message, 'content').length === 0) return above;
  const turn = draft.add(above, { kind: 'assistant', atMs, text: textOf(message) });
  for (const part of partsOf(message, 'thinking')) addText(turn, 'thinking', textField(part, 'thinking'));
  for (const part of partsOf(message, 'toolCall')) {
    const [id, tool] = [textField(part, 'id') ?? '', textField(part, 'name') ?? ''];
    draft.call(turn, { id, tool, input: field(part, 'arguments') ?? {} });
  }
  return turn;
}

function takeCommand(draft: HistoryDraft, { message, atMs }: Entry, above: HistoryTurn | null): HistoryTurn {
  const turn = draft.add(above, { kind: 'command', atMs });
  const exitCode = numberField(message, 'exitCode');
  draft.call(turn, {
    ...{ id: '', tool: 'bash', input: { command: textField(message, 'command') ?? '' } },
    ...{ output: textField(message, 'output') ?? '', exitCode, failed: exitCode !== 0 },
  });
  return turn;
}

function textOf(message: unknown): string {
  const whole = textField(message, 'content');
  return (
    whole ??
    partsOf(message, 'text')
      .map((part) => textField(part, 'text') ?? '')
      .join('\n')
  );
}

function partsOf(message: unknown, type: string): unknown[] {
  return listField(message, 'content').filter((part) => textField(part, 'type') === type);
}

function exitCodeIn(output: string): number | null {
  const code = /\nCommand exited with code (\d{1,3})\s*$/.exec(output)?.[1];
  return code === undefined ? null : Number(code);
}
