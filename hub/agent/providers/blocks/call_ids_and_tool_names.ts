import { createHash } from 'node:crypto';

/** What every server accepts as the id of a call, and as the name of a tool. */
const ID = /^[\w-]{1,40}$/;
const TOOL_CHARACTERS = /[^\w-]/g;
const TOOL_LENGTH_MAX = 64;
/** The longest that a block may hold. */
const KEPT_MAX = 200;

/** Gives calls the ids that they are sent with, in the order of the messages. */
export interface CallIds {
  call(id: string): string;
  /** The id of the first call of that name that has no result yet. */
  result(id: string): string;
}

/**
 * An id that a server would refuse, since another one made it or since it came before in the conversation, is replaced. The
 * replacement follows from what stands before it alone, so that a longer conversation begins with the same bytes.
 */
export function callIds(): CallIds {
  const used = new Set<string>();
  /** What waits for its result, by the name it is known by. */
  const waiting = new Map<string, string[]>();
  return {
    call(id) {
      let sent = id;
      for (let again = 0; !ID.test(sent) || used.has(sent); again += 1) sent = hashed(`${id} ${again}`);
      used.add(sent);
      waiting.set(id, [...(waiting.get(id) ?? []), sent]);
      return sent;
    },
    result(id) {
      const [first, ...others] = waiting.get(id) ?? [];
      if (first === undefined) return ID.test(id) ? id : hashed(`${id} 0`);
      waiting.set(id, others);
      return first;
    },
  };
}

function hashed(text: string): string {
  return `call_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
}

/** Ids for the calls of one answer: the server's own where it has one of its own for each. */
export function answerIds(messages: number): (given: string | null | undefined) => string {
  const used = new Set<string>();
  let count = 0;
  return (given) => {
    let id = given?.toWellFormed() ?? '';
    while (id === '' || id.length > KEPT_MAX || used.has(id)) {
      // Told apart from those of other answers by how long the conversation was.
      id = `call_${messages}_${count}`;
      count += 1;
    }
    used.add(id);
    return id;
  };
}

/** The name of a tool as a model wrote it, so that it can be kept. */
export function keptTool(name: string): string {
  return name === '' ? 'unnamed' : name.toWellFormed().slice(0, KEPT_MAX);
}

/** The name of a tool as it is sent back: a model may have made up one that its own server refuses. */
export function sentTool(name: string): string {
  return name.replace(TOOL_CHARACTERS, '_').slice(0, TOOL_LENGTH_MAX);
}
