import { HubError } from '../../hub/base/error.js';
import { JSON_DEPTH_MAX, NODE_BYTES_MAX, STEP_CALLS_MAX } from '../../hub/protocol/limits.js';
import { formatBytes } from '../render/text/ids_and_counts.js';

/** The longest name that a tool or a call has. */
const NAME_LENGTH_MAX = 200;
/** How deep the input of a call may be nested: around it a message to the hub has some levels of its own. */
const INPUT_DEPTH_MAX = JSON_DEPTH_MAX - 10;

/** A call and its result; null when it was interrupted. */
export interface TranscriptCall {
  /** Null for what a person ran. */
  id: string | null;
  tool: string;
  input: unknown;
  result: string | null;
}

/** A message, an answer with its calls, or a command of a person. */
export type TranscriptPart =
  | { kind: 'user'; text: string }
  | { kind: 'answer'; text: string; calls: TranscriptCall[] }
  | { kind: 'command'; call: TranscriptCall };

export interface ReadTranscript {
  /** The id of the tree that was exported. */
  session: string;
  parts: TranscriptPart[];
}

interface Entry {
  role: string;
  content: string;
  tool: string;
  id: string | null;
  label: string;
}

/** Whether a document claims to be a transcript, well-formed or not. */
export function isTranscript(document: unknown): document is object {
  return typeof document === 'object' && document !== null && 'metadata' in document && 'entries' in document;
}

/** Reads a transcript; refuses what a tree cannot hold. */
export function transcriptFrom(document: object): ReadTranscript {
  const session: unknown = fieldOf(fieldOf(document, 'metadata'), 'session_id');
  const entries: unknown = fieldOf(document, 'entries');
  if (typeof session !== 'string' || session.length > NAME_LENGTH_MAX)
    throw malformed('its metadata has no session_id');
  if (!Array.isArray(entries)) throw malformed('its entries are no list');
  const parts: TranscriptPart[] = [];
  for (const [index, value] of entries.entries()) addEntry(parts, entryFrom(value, `entry ${index + 1}`));
  const open = parts.find((part) => part.kind === 'command' && part.call.result === null);
  if (open !== undefined && open !== parts.at(-1)) throw malformed('a command in it has no result');
  if (parts.length === 0) throw malformed('it has no entries');
  return { session, parts };
}

function entryFrom(value: unknown, location: string): Entry {
  const [role, content] = [fieldOf(value, 'role'), fieldOf(value, 'content')];
  if (typeof role !== 'string') throw malformed(`${location} has no role`);
  if (typeof content !== 'string') throw malformed(`${location} has no content`);
  if (Buffer.byteLength(content) > NODE_BYTES_MAX) {
    throw malformed(`${location} is longer than a node may be, which is ${formatBytes(NODE_BYTES_MAX)}`);
  }
  const [tool, id] = [fieldOf(value, 'tool_name') ?? '', fieldOf(value, 'tool_id') ?? null];
  if (typeof tool !== 'string' || (id !== null && typeof id !== 'string')) throw malformed(`${location} names no tool`);
  const isNamed = tool !== '' && Math.max(tool.length, id?.length ?? 1) <= NAME_LENGTH_MAX && id !== '';
  if (role.startsWith('tool_') && !isNamed) throw malformed(`${location} names no tool, or by too long a name`);
  return { role, content, tool, id, label: location };
}

function addEntry(parts: TranscriptPart[], entry: Entry): void {
  switch (entry.role) {
    case 'user':
      if (entry.content.trim() === '') throw malformed(`${entry.label} says nothing`);
      parts.push({ kind: 'user', text: entry.content });
      return;
    case 'assistant':
      parts.push({ kind: 'answer', text: entry.content, calls: [] });
      return;
    case 'tool_call':
      addCall(parts, entry);
      return;
    case 'tool_result':
      addResult(parts, entry);
      return;
    default:
      throw malformed(`${entry.label} has the role ${JSON.stringify(entry.role.slice(0, 60))}`);
  }
}

function addCall(parts: TranscriptPart[], { id, tool, content, label: location }: Entry): void {
  const call: TranscriptCall = { id, tool, input: inputIn(content), result: null };
  if (!isShallow(call.input, INPUT_DEPTH_MAX))
    throw malformed(`${location} is nested more than ${INPUT_DEPTH_MAX} levels deep`);
  if (id === null) {
    parts.push({ kind: 'command', call });
    return;
  }
  const last = parts.at(-1);
  // Calls stand behind the words of their answer; after results a new answer has begun, one without words.
  const isSame = last?.kind === 'answer' && last.calls.every(({ result }) => result === null);
  const calls = isSame ? last.calls : [];
  if (calls.some((other) => other.id === id)) throw malformed(`${location} has the tool_id of the call before`);
  if (calls.length >= STEP_CALLS_MAX) throw malformed(`${location} is one call too many for an answer`);
  calls.push(call);
  if (!isSame) parts.push({ kind: 'answer', text: '', calls });
}

function addResult(parts: TranscriptPart[], { id, content, label: location }: Entry): void {
  const last = parts.at(-1);
  const call = callsOf(last).find((candidate) => candidate.id === id && candidate.result === null);
  if (call === undefined) throw malformed(`${location} is the result of no call before it`);
  call.result = content;
}

function callsOf(part: TranscriptPart | undefined): TranscriptCall[] {
  if (part?.kind === 'answer') return part.calls;
  return part?.kind === 'command' ? [part.call] : [];
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

function malformed(reason: string): HubError {
  return new HubError('invalid_params', `this transcript cannot be imported: ${reason}`, {
    hint: 'its form is in the guide on transcripts',
  });
}
