import { createHash } from 'node:crypto';
import {
  freshCallId,
  isoTime,
  jsonLines,
  objectInput,
  type PastCall,
  type PastTurn,
  type SeededSession,
  type SeedPlace,
  toolName,
} from './past_turn.js';

/** Writes turns as a session of Gemini CLI, one document, which it takes with `--session-file`. */
export function seedGemini(history: readonly PastTurn[], place: SeedPlace): SeededSession {
  const session = place.newId();
  const said = history.filter(({ text, calls }) => text !== '' || calls.length > 0);
  const startTime = isoTime(said.at(0)?.atMs ?? 0);
  const document = {
    sessionId: session,
    projectHash: createHash('sha256').update(place.cwd).digest('hex'),
    ...{ startTime, lastUpdated: isoTime(said.at(-1)?.atMs ?? 0), kind: 'main' },
    messages: said.map((turn) => messageOf(turn, place)),
  };
  return { session, names: [`session-${session}.json`], text: `${JSON.stringify(document)}\n` };
}

/** The folder below gemini's own that holds what it keeps of a project: it takes one that claims the project by a file. */
export function geminiFolder(cwd: string): string {
  return `.gemini/tmp/cognition-${createHash('sha256').update(cwd).digest('hex').slice(0, 16)}`;
}

/** Writes turns as one of the sessions that gemini keeps itself: a header, then a line for each message. */
export function seedGeminiLines(history: readonly PastTurn[], place: SeedPlace): SeededSession {
  const { session, text } = seedGemini(history, place);
  const { messages, ...header }: { messages: object[] } = JSON.parse(text);
  // Its own are named by the minute, and one of the same minute would be written over.
  const name = `session-0-${session.slice(0, 8)}.jsonl`;
  return { session, names: [geminiFolder(place.cwd), 'chats', name], text: jsonLines([header, ...messages]) };
}

function messageOf({ role, text, calls, atMs }: PastTurn, place: SeedPlace): object {
  const fields = { id: place.newId(), timestamp: isoTime(atMs) };
  if (role === 'user') return { ...fields, type: 'user', content: [{ text }] };
  const toolCalls = calls.map((call) => callOf(call, freshCallId(place), atMs));
  return {
    ...{ ...fields, type: 'gemini', content: text, thoughts: [], model: place.model ?? 'unknown' },
    ...(toolCalls.length > 0 ? { toolCalls } : {}),
  };
}

/** Its results stand with the calls: a message of their own would tell them twice. */
function callOf({ tool, input, output, failed }: PastCall, id: string, atMs: number): object {
  const name = toolName(tool);
  const response = failed ? { error: output } : { output };
  return {
    ...{ id, name, args: objectInput(input), result: [{ functionResponse: { id, name, response } }] },
    ...{ status: failed ? 'error' : 'success', timestamp: isoTime(atMs) },
  };
}
