import {
  freshCallId,
  isoTime,
  jsonLines,
  objectInput,
  type PastTurn,
  type SeededSession,
  type SeedPlace,
  toolName,
} from './past_turn.js';

const COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const USAGE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: COST };

/** Writes turns as a session file of pi: a header, and entries that each name the one before. */
export function seedPi(history: readonly PastTurn[], place: SeedPlace): SeededSession {
  const session = place.newId();
  const begunMs = history.at(0)?.atMs ?? 0;
  const records: object[] = [{ type: 'session', version: 3, id: session, timestamp: isoTime(begunMs), cwd: place.cwd }];
  let parentId: string | null = null;
  for (const turn of history) {
    for (const message of messagesOf(turn, place)) {
      const id = place.newId().slice(0, 8);
      records.push({ type: 'message', id, parentId, timestamp: isoTime(turn.atMs), message });
      parentId = id;
    }
  }
  const name = `${isoTime(begunMs).replace(/[:.]/g, '-')}_${session}.jsonl`;
  return { session, names: [folderName(place.cwd), name], text: jsonLines(records) };
}

function folderName(cwd: string): string {
  return `--${cwd.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')}--`;
}

function messagesOf({ role, text, calls, atMs: timestamp }: PastTurn, place: SeedPlace): object[] {
  const words = text === '' ? [] : [{ type: 'text', text }];
  if (role === 'user') return text === '' ? [] : [{ role, content: words, timestamp }];
  const made = calls.map((call) => ({ ...call, id: freshCallId(place), name: toolName(call.tool) }));
  const content = [
    ...words,
    ...made.map(({ id, name, input }) => ({ type: 'toolCall', id, name, arguments: objectInput(input) })),
  ];
  if (content.length === 0) return [];
  const model = { api: 'openai-completions', provider: 'cognition', model: place.model ?? 'unknown' };
  const stopReason = made.length > 0 ? 'toolUse' : 'stop';
  return [
    { role, content, ...model, usage: USAGE, stopReason, timestamp },
    ...made.map(({ id, name, output, failed }) => ({
      ...{ role: 'toolResult', toolCallId: id, toolName: name, content: [{ type: 'text', text: output }] },
      ...{ isError: failed, timestamp },
    })),
  ];
}
