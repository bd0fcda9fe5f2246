import {
  freshCallId,
  objectInput,
  type PastCall,
  type PastTurn,
  type SeededSession,
  type SeedPlace,
  toolName,
} from './past_turn.js';

/** The version whose exports look like these. */
const VERSION = '1.18.33';
const TOKENS = { total: 0, input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } };

/** Writes turns as what `opencode export` writes, and `opencode import` takes. */
export function seedOpencode(history: readonly PastTurn[], place: SeedPlace): SeededSession {
  const ids = createIds(place);
  const session = ids.session(history.at(0)?.atMs ?? 0);
  const times = risingTimes(history);
  const messages: object[] = [];
  let parentID = '';
  for (const [index, turn] of history.entries()) {
    const message = { turn, atMs: times[index] ?? 0, session, id: ids.next('msg', times[index] ?? 0) };
    if (turn.role === 'user') parentID = message.id;
    messages.push(
      turn.role === 'user' ? userMessage(message, place, ids) : answer({ ...message, parentID }, place, ids),
    );
  }
  const info = {
    ...{ id: session, slug: `cognition-${place.newId().slice(0, 8)}`, projectID: 'global', directory: place.cwd },
    ...{ title: titleOf(history), agent: 'build', version: place.version ?? VERSION, cost: 0, tokens: TOKENS },
    ...{ summary: { additions: 0, deletions: 0, files: 0 } },
    time: { created: times.at(0) ?? 0, updated: times.at(-1) ?? 0 },
  };
  return { session, names: [`${session}.json`], text: `${JSON.stringify({ info, messages })}\n` };
}

/** Messages are put in order by their times, so none may be that of another. */
function risingTimes(history: readonly PastTurn[]): number[] {
  let last = 0;
  return history.map(({ atMs }) => {
    last = Math.max(atMs, last + 1);
    return last;
  });
}

function titleOf(history: readonly PastTurn[]): string {
  const said = history.find(({ role, text }) => role === 'user' && text.trim() !== '')?.text ?? 'cognition';
  return said.trim().split('\n', 1).join('').slice(0, 100);
}

interface Ids {
  session(atMs: number): string;
  next(kind: 'msg' | 'prt', atMs: number): string;
}

const TIME_BITS = 48;

/** Its ids begin with the time and a counter in twelve digits; those of sessions count down. */
function createIds(place: SeedPlace): Ids {
  let counter = 0;
  const digits = (time: bigint): string =>
    BigInt.asUintN(TIME_BITS, time).toString(16).padStart(12, '0') + place.newId().replaceAll('-', '').slice(0, 14);
  const timeOf = (atMs: number): bigint => {
    counter = (counter + 1) % 0x1000;
    return BigInt(atMs) * 0x1000n + BigInt(counter);
  };
  return {
    session: (atMs) => `ses_${digits(~timeOf(atMs))}`,
    next: (kind, atMs) => `${kind}_${digits(timeOf(atMs))}`,
  };
}

interface Message {
  turn: PastTurn;
  atMs: number;
  session: string;
  id: string;
}

function modelOf({ model }: SeedPlace): { providerID: string; modelID: string } {
  const [, providerID = 'cognition', modelID = model ?? 'unknown'] = /^([^/]+)\/(.+)$/.exec(model ?? '') ?? [];
  return { providerID, modelID };
}

function userMessage({ turn, atMs, session: sessionID, id }: Message, place: SeedPlace, ids: Ids): object {
  const part = { id: ids.next('prt', atMs), sessionID, messageID: id };
  return {
    info: {
      ...{ role: 'user', time: { created: atMs }, agent: 'build', model: modelOf(place) },
      ...{ summary: { diffs: [] }, id, sessionID },
    },
    parts: [{ type: 'text', text: turn.text, ...part }],
  };
}

function answer(message: Message & { parentID: string }, place: SeedPlace, ids: Ids): object {
  const { turn, atMs, session: sessionID, id, parentID } = message;
  const part = (fields: object): object => ({ ...fields, id: ids.next('prt', atMs), sessionID, messageID: id });
  const finish = turn.calls.length > 0 ? 'tool-calls' : 'stop';
  return {
    info: {
      ...{ parentID, role: 'assistant', mode: 'build', agent: 'build', path: { cwd: place.cwd, root: '/' } },
      ...{
        cost: 0,
        tokens: TOKENS,
        ...modelOf(place),
        time: { created: atMs, completed: atMs },
        finish,
        id,
        sessionID,
      },
    },
    parts: [
      part({ type: 'step-start' }),
      ...(turn.text === '' ? [] : [part({ type: 'text', text: turn.text, time: { start: atMs, end: atMs } })]),
      ...turn.calls.map((call) => part(toolPart(call, freshCallId(place), atMs))),
      part({ type: 'step-finish', reason: finish, tokens: TOKENS, cost: 0 }),
    ],
  };
}

function toolPart({ tool, input, output, failed }: PastCall, callID: string, atMs: number): object {
  const time = { start: atMs, end: atMs };
  const state = failed
    ? { status: 'error', input: objectInput(input), error: output, time }
    : { status: 'completed', input: objectInput(input), output, title: tool, metadata: {}, time };
  return { type: 'tool', tool: toolName(tool), callID, state };
}
