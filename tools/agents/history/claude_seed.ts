import {
  isoTime,
  jsonLines,
  objectInput,
  type PastCall,
  type PastTurn,
  type SeededSession,
  type SeedPlace,
  toolName,
} from './past_turn.js';

/** The version whose files look like these. */
const VERSION = '2.1.326';

/** Writes turns as a session file of Claude Code: a record for each block of an answer, in one chain. */
export function seedClaude(history: readonly PastTurn[], place: SeedPlace): SeededSession {
  const session = place.newId();
  const records: object[] = [];
  let parent: string | null = null;
  const add = (atMs: number, record: object): string => {
    const uuid = place.newId();
    records.push({
      ...{ parentUuid: parent, isSidechain: false, ...record, uuid, timestamp: isoTime(atMs), userType: 'external' },
      ...{ cwd: place.cwd, sessionId: session, version: place.version ?? VERSION, gitBranch: '' },
    });
    parent = uuid;
    return uuid;
  };
  for (const { role, text, calls, atMs } of history) {
    if (role === 'user') {
      if (text !== '') add(atMs, userRecord([{ type: 'text', text }]));
      continue;
    }
    const message = answerOf(place, calls.length > 0);
    if (text !== '') add(atMs, message({ type: 'text', text }));
    const made = calls.map((call) => ({ call, id: `toolu_${place.newId().replaceAll('-', '').slice(0, 24)}` }));
    for (const { call, id } of made) add(atMs, message(callBlock(call, id)));
    if (made.length > 0) {
      const results = made.map(({ call, id }) => resultBlock(call, id));
      add(atMs, { ...userRecord(results), sourceToolAssistantUUID: parent });
    }
  }
  return { session, names: [folderName(place.cwd), `${session}.jsonl`], text: jsonLines(records) };
}

/** The name of the folder in which the sessions of a folder are. */
function folderName(cwd: string): string {
  return cwd.replace(/[^A-Za-z0-9]/g, '-');
}

function userRecord(content: readonly object[]): object {
  return { type: 'user', message: { role: 'user', content } };
}

/** Makes the records of one answer. */
function answerOf(place: SeedPlace, hasCalls: boolean): (block: object) => object {
  const id = `msg_${place.newId().replaceAll('-', '').slice(0, 24)}`;
  const stop_reason = hasCalls ? 'tool_use' : 'end_turn';
  const usage = { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  return (block) => ({
    message: {
      ...{ id, type: 'message', role: 'assistant', model: place.model ?? 'unknown', content: [block] },
      ...{ stop_reason, stop_sequence: null, usage },
    },
    type: 'assistant',
  });
}

function callBlock({ tool, input }: PastCall, id: string): object {
  return { type: 'tool_use', id, name: toolName(tool), input: objectInput(input) };
}

function resultBlock({ output, failed }: PastCall, id: string): object {
  return { tool_use_id: id, type: 'tool_result', content: output, ...(failed ? { is_error: true } : {}) };
}
