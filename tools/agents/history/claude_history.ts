import {
  addText,
  createHistory,
  type History,
  type HistoryDraft,
  type HistoryImage,
  type HistoryTurn,
  saysNothing,
} from './history.js';
import { field, listField, textField, timeField } from './json_fields.js';

/** Where a record stands: below a turn, and behind a command of which it is not known yet whether a model was told it. */
interface Place {
  turn: HistoryTurn | null;
  command: { text: string; atMs: number } | null;
}

interface Reading {
  draft: HistoryDraft;
  /** By the id of a record. */
  places: Map<string, Place>;
  /** The turn of a message, which is kept in a record for each of its blocks. */
  messages: Map<string, HistoryTurn>;
  /** Whether all of it is an agent's; in older files some of it is, and left out. */
  isSidechain: boolean | null;
}

const INTERRUPTED = /^\[Request interrupted/;
const LOCAL_COMMAND = /^<local-command-/;
const COMMAND = /^<command-(?:name|message)>/;

/** Reads a session file of Claude Code: records with `uuid` and `parentUuid`, among many that only serve its program. */
export async function* readClaude(records: AsyncIterable<unknown>): AsyncGenerator<History> {
  const reading: Reading = { draft: createHistory(), places: new Map(), messages: new Map(), isSidechain: null };
  for await (const record of records) {
    const id = textField(record, 'uuid');
    if (id !== null) takeRecord(reading, record, id);
  }
  yield reading.draft.history;
}

function takeRecord(reading: Reading, record: unknown, id: string): void {
  const { history } = reading.draft;
  const isSidechain = field(record, 'isSidechain') === true;
  reading.isSidechain ??= isSidechain;
  if (isSidechain !== reading.isSidechain) return;
  history.session ??= textField(record, 'sessionId');
  history.cwd ??= textField(record, 'cwd');
  const place = placeAbove(reading, record);
  reading.places.set(id, placeOf(reading, record, place));
}

function placeAbove({ places, draft }: Reading, record: unknown): Place {
  const parent = textField(record, 'parentUuid') ?? textField(record, 'logicalParentUuid');
  const place = parent === null ? undefined : places.get(parent);
  if (parent !== null && place === undefined) draft.history.orphans += 1;
  return place ?? { turn: null, command: null };
}

function placeOf(reading: Reading, record: unknown, place: Place): Place {
  switch (textField(record, 'type')) {
    case 'user':
      return userPlace(reading, record, place);
    case 'assistant':
      return assistantPlace(reading, record, place);
    default:
      return place;
  }
}

function userPlace({ draft }: Reading, record: unknown, place: Place): Place {
  const atMs = timeField(record, 'timestamp');
  const { text, images } = contentOf(draft, record);
  if (field(record, 'isCompactSummary') === true) {
    return { turn: draft.add(place.turn, { kind: 'summary', atMs, text }), command: null };
  }
  if (LOCAL_COMMAND.test(text)) return { ...place, command: null };
  if (COMMAND.test(text)) return { ...place, command: { text: commandText(text), atMs } };
  if (field(record, 'isMeta') === true || INTERRUPTED.test(text) || saysNothing({ kind: 'user', atMs, text, images })) {
    return place;
  }
  return { turn: draft.add(place.turn, { kind: 'user', atMs, text, images }), command: null };
}

/** The text and images of a message. The results in it go to their calls. */
function contentOf(draft: HistoryDraft, record: unknown): { text: string; images: HistoryImage[] } {
  const whole = textField(record, 'message', 'content');
  const texts = whole === null ? [] : [whole];
  const images: HistoryImage[] = [];
  for (const block of listField(record, 'message', 'content')) {
    const type = textField(block, 'type');
    if (type === 'text') texts.push(textField(block, 'text') ?? '');
    if (type === 'image') images.push(...imageOf(block));
    if (type === 'tool_result') takeResult(draft, block);
  }
  return { text: texts.join('\n'), images };
}

function imageOf(block: unknown): HistoryImage[] {
  const base64 = textField(block, 'source', 'data');
  return base64 === null ? [] : [{ base64 }];
}

function takeResult(draft: HistoryDraft, block: unknown): void {
  const parts = listField(block, 'content').map((part) => textField(part, 'text') ?? `[${textField(part, 'type')}]`);
  const output = textField(block, 'content') ?? parts.join('\n');
  const code = /^Exit code (\d{1,3})\n/.exec(output)?.[1];
  draft.answer(textField(block, 'tool_use_id') ?? '', {
    ...{ output, failed: field(block, 'is_error') === true },
    exitCode: code === undefined ? null : Number(code),
  });
}

/** A command as it was typed. */
function commandText(text: string): string {
  const [, name = ''] = /<command-name>([^<]*)</.exec(text) ?? [];
  const [, rest = ''] = /<command-args>([\s\S]*?)<\/command-args>/.exec(text) ?? [];
  return `${name} ${rest}`.trim();
}

function assistantPlace(reading: Reading, record: unknown, place: Place): Place {
  // What its program says in the place of a model is no answer.
  if (field(record, 'isApiErrorMessage') === true || textField(record, 'message', 'model') === '<synthetic>')
    return place;
  const turn = answerTurn(reading, record, place);
  for (const block of listField(record, 'message', 'content')) takeBlock(reading.draft, turn, block);
  return { turn, command: null };
}

function answerTurn({ draft, messages }: Reading, record: unknown, place: Place): HistoryTurn {
  const atMs = timeField(record, 'timestamp');
  const message = textField(record, 'message', 'id');
  const begun = message === null ? undefined : messages.get(message);
  if (begun !== undefined && begun === place.turn) return begun;
  const { command } = place;
  const parent = command === null ? place.turn : draft.add(place.turn, { kind: 'user', ...command });
  const turn = draft.add(parent, { kind: 'assistant', atMs });
  if (message !== null) messages.set(message, turn);
  return turn;
}

function takeBlock(draft: HistoryDraft, turn: HistoryTurn, block: unknown): void {
  switch (textField(block, 'type') ?? '') {
    case 'text':
      addText(turn, 'text', textField(block, 'text'));
      return;
    case 'thinking':
      addText(turn, 'thinking', textField(block, 'thinking'));
      return;
    case 'tool_use': {
      const [id, tool] = [textField(block, 'id') ?? '', textField(block, 'name') ?? ''];
      draft.call(turn, { id, tool, input: field(block, 'input') ?? {} });
    }
  }
}
