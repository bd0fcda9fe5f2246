import { HubError } from '../../hub/base/error.js';
import { JSON_DEPTH_MAX, NODE_BYTES_MAX, STEP_CALLS_MAX } from '../../hub/protocol/limits.js';
import { formatBytes } from '../render/text/ids_and_counts.js';

/** The longest name that a tool or a call has. */
const NAME_LENGTH_MAX = 200;
/** How deep the input of a call may be nested: around it a message to the hub has some levels of its own. */
const INPUT_DEPTH_MAX = JSON_DEPTH_MAX - 10;

/** A call and what came of it; null when it did not come to its end. */
export interface ToldCall {
  /** Null for what a person ran. */
  id: string | null;
  tool: string;
  input: unknown;
  result: string | null;
}

/** What was said or done, in order: a message, an answer with its calls, or a command of a person. */
export type ToldPart =
  | { kind: 'user'; text: string }
  | { kind: 'answer'; text: string; calls: ToldCall[] }
  | { kind: 'command'; call: ToldCall };

export interface ReadTranscript {
  /** The id of the tree that it was written of. */
  session: string;
  told: ToldPart[];
}

interface Entry {
  role: string;
  content: string;
  tool: string;
  id: string | null;
  place: string;
}

/** Whether a document says that it is a transcript; whether it is a sound one is another matter. */
export function isTranscript(document: unknown): document is object {
  return typeof document === 'object' && document !== null && 'metadata' in document && 'entries' in document;
}

/** Reads a transcript back. */
export function transcriptFrom(document: object): ReadTranscript {
  const session: unknown = fieldOf(fieldOf(document, 'metadata'), 'session_id');
  const entries: unknown = fieldOf(document, 'entries');
  if (typeof session !== 'string' || session.length > NAME_LENGTH_MAX) throw unsound('its metadata has no session_id');
  if (!Array.isArray(entries)) throw unsound('its entries are no list');
  const told: ToldPart[] = [];
  for (const [index, value] of entries.entries()) add(told, entryFrom(value, `entry ${index + 1}`));
  const open = told.find((one) => one.kind === 'command' && one.call.result === null);
  if (open !== undefined && open !== told.at(-1)) throw unsound('a command in it has no result');
  if (told.length === 0) throw unsound('it has no entries');
  return { session, told };
}

function entryFrom(value: unknown, place: string): Entry {
  const [role, content] = [fieldOf(value, 'role'), fieldOf(value, 'content')];
  if (typeof role !== 'string') throw unsound(`${place} has no role`);
  if (typeof content !== 'string') throw unsound(`${place} has no content`);
  if (Buffer.byteLength(content) > NODE_BYTES_MAX) {
    throw unsound(`${place} is longer than a node may be, which is ${formatBytes(NODE_BYTES_MAX)}`);
  }
  const [tool, id] = [fieldOf(value, 'tool_name') ?? '', fieldOf(value, 'tool_id') ?? null];
  if (typeof tool !== 'string' || (id !== null && typeof id !== 'string')) throw unsound(`${place} names no tool`);
  const isNamed = tool !== '' && Math.max(tool.length, id?.length ?? 1) <= NAME_LENGTH_MAX && id !== '';
  if (role.startsWith('tool_') && !isNamed) throw unsound(`${place} names no tool, or by too long a name`);
  return { role, content, tool, id, place };
}

function add(told: ToldPart[], entry: Entry): void {
  switch (entry.role) {
    case 'user':
      if (entry.content.trim() === '') throw unsound(`${entry.place} says nothing`);
      told.push({ kind: 'user', text: entry.content });
      return;
    case 'assistant':
      told.push({ kind: 'answer', text: entry.content, calls: [] });
      return;
    case 'tool_call':
      addCall(told, entry);
      return;
    case 'tool_result':
      addResult(told, entry);
      return;
    default:
      throw unsound(`${entry.place} has the role ${JSON.stringify(entry.role.slice(0, 60))}`);
  }
}

function addCall(told: ToldPart[], { id, tool, content, place }: Entry): void {
  const call: ToldCall = { id, tool, input: inputIn(content), result: null };
  if (!isShallow(call.input, INPUT_DEPTH_MAX))
    throw unsound(`${place} is nested more than ${INPUT_DEPTH_MAX} levels deep`);
  if (id === null) {
    told.push({ kind: 'command', call });
    return;
  }
  const last = told.at(-1);
  // Calls stand behind the words of their answer; after results a new answer has begun, one without words.
  const isSame = last?.kind === 'answer' && last.calls.every(({ result }) => result === null);
  const calls = isSame ? last.calls : [];
  if (calls.some((other) => other.id === id)) throw unsound(`${place} has the tool_id of the call before`);
  if (calls.length >= STEP_CALLS_MAX) throw unsound(`${place} is one call too many for an answer`);
  calls.push(call);
  if (!isSame) told.push({ kind: 'answer', text: '', calls });
}

function addResult(told: ToldPart[], { id, content, place }: Entry): void {
  const last = told.at(-1);
  const call = callsOf(last).find((one) => one.id === id && one.result === null);
  if (call === undefined) throw unsound(`${place} is the result of no call before it`);
  call.result = content;
}

function callsOf(told: ToldPart | undefined): ToldCall[] {
  if (told?.kind === 'answer') return told.calls;
  return told?.kind === 'command' ? [told.call] : [];
}

function inputIn(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return { text: content }; // of another program, which wrote words
  }
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((one) => isShallow(one, levels - 1));
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function unsound(reason: string): HubError {
  return new HubError('invalid_params', `this transcript cannot be imported: ${reason}`, {
    hint: 'its form is in the guide on transcripts',
  });
}
