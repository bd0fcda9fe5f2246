import { createHash } from 'node:crypto';

/** What a server accepts as the id of a call. */
export interface IdForm {
  accepted: RegExp;
  /** An id of that form, from a digest. */
  from(digest: string): string;
}

export const USUAL_IDS: IdForm = { accepted: /^[\w-]{1,40}$/, from: (digest) => `call_${digest.slice(0, 24)}` };
export const MISTRAL_IDS: IdForm = { accepted: /^[a-zA-Z0-9]{9}$/, from: (digest) => digest.slice(0, 9) };

/** What every server accepts as the name of a tool. */
const TOOL_CHARACTERS = /[^\w-]/g;
const TOOL_LENGTH_MAX = 64;
/** The longest id or name that a block may hold. */
const STORED_LENGTH_MAX = 200;

/** The ids that calls are sent with, given out in the order of the messages. */
export interface CallIds {
  call(id: string): string;
  /** The id of the first call of that name that has no result yet. */
  result(id: string): string;
}

/**
 * Replaces ids that a server would refuse, because another server made them or because they came before in the conversation.
 * The replacement follows from the earlier calls alone, so that a longer conversation begins with the same bytes.
 */
export function callIds({ accepted, from }: IdForm = USUAL_IDS): CallIds {
  const hashed = (text: string): string => from(createHash('sha256').update(text).digest('hex'));
  const used = new Set<string>();
  /** The sent ids of calls without a result yet, by their own ids. */
  const waiting = new Map<string, string[]>();
  return {
    call(id) {
      let sent = id;
      for (let again = 0; !accepted.test(sent) || used.has(sent); again += 1) sent = hashed(`${id} ${again}`);
      used.add(sent);
      waiting.set(id, [...(waiting.get(id) ?? []), sent]);
      return sent;
    },
    result(id) {
      const [first, ...others] = waiting.get(id) ?? [];
      if (first === undefined) return accepted.test(id) ? id : hashed(`${id} 0`);
      waiting.set(id, others);
      return first;
    },
  };
}

/** Ids for the calls of one answer: the server's own where each call has one. */
export function answerIds(messages: number): (serverId: string | null | undefined) => string {
  const used = new Set<string>();
  let count = 0;
  return (serverId) => {
    let id = serverId?.toWellFormed() ?? '';
    while (id === '' || id.length > STORED_LENGTH_MAX || used.has(id)) {
      // The length of the conversation tells them from those of other answers.
      id = `call_${messages}_${count}`;
      count += 1;
    }
    used.add(id);
    return id;
  };
}

/** The name of a tool as a model wrote it, in a form that can be stored. */
export function storedToolName(name: string): string {
  return name === '' ? 'unnamed' : name.toWellFormed().slice(0, STORED_LENGTH_MAX);
}

/** The name of a tool as it is sent back: a model may have invented one that its own server refuses. */
export function sentToolName(name: string): string {
  return name.replace(TOOL_CHARACTERS, '_').slice(0, TOOL_LENGTH_MAX);
}
