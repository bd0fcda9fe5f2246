import { HubError } from '../../base/error.js';
import { callHub, type InternalCaller, pathPages } from '../../base/internal_call.js';
import type { ResultOf } from '../../protocol/methods/method_table.js';
import type { NodeId, TreeId, TurnId } from '../../protocol/node.js';
import type { Question } from '../../protocol/question.js';
import type { ModelCall, QuestionDraft } from './model_call.js';
import { visible } from './visible_text.js';

/** An answer that permitted a call, and maybe others like it. */
export type GivenPermission = Pick<Question, 'id' | 'question' | 'answer'>;

/** One that holds for more than its call, until it is withdrawn. */
export interface KeptPermission extends GivenPermission {
  turn: TurnId;
}

const ONCE = 'allow';
const SAME = 'allow exactly this in this conversation';
const DENY = 'deny';
const EVERYTHING = 'allow everything in this conversation';

/** More than a person can be expected to read before they allow it. */
const QUESTION_LENGTH_MAX = 32_768;

/** A command of plain words means what its words say: nothing in it runs another one, or is put in their place. */
const PLAIN_COMMAND = /^[\w@%+=:,./-]+ [\w@%+=:,./-]+(?= |$)[\w@%+=:,./ -]*$/;

/** The question whether a command may run. */
export function commandPermission(
  call: string,
  { command, isSandboxed, isJob }: { command: string; isSandboxed: boolean; isJob: boolean },
): QuestionDraft {
  const where = `${isJob ? ' in the background' : ''}${isSandboxed ? '' : ' UNSANDBOXED, as in your own shell'}`;
  const lines = command.split('\n').map((line, index) => `  ${index === 0 ? '$' : '>'} ${line}`);
  const prefix = PLAIN_COMMAND.test(command) ? /^\S+ \S+/.exec(command)?.[0] : undefined;
  const more = prefix === undefined ? SAME : `allow commands of plain words that begin with: ${prefix}`;
  return draft(call, [`May this run${where}?`, ...lines].join('\n'), more);
}

/** The question whether a file may be changed like this. */
export function changePermission(call: string, { name, diff }: ResultOf<'file.change_preview'>): QuestionDraft {
  // A name that is cut may stand for several files.
  return draft(
    call,
    visible(`May ${name} be changed?\n${diff}`),
    name.endsWith('…') ? SAME : `allow changes of ${name}`,
  );
}

/** The question whether a page may be fetched; null for what is no address, and is refused. */
export function pagePermission(call: string, url: string): QuestionDraft | null {
  if (!URL.canParse(url)) return null;
  const { href, host } = new URL(url);
  return draft(call, visible(`May this page be fetched?\n  ${href}`), `allow pages of ${host}`);
}

function draft(call: string, question: string, more: string): QuestionDraft {
  if (question.length > QUESTION_LENGTH_MAX) {
    throw new HubError(
      'limit',
      `this is more than the ${QUESTION_LENGTH_MAX} characters that a person is asked to read`,
      {
        hint: 'do it in smaller parts',
      },
    );
  }
  return { call, kind: 'permission', question, options: [ONCE, more, DENY, EVERYTHING] };
}

/** Whether words are one of the offered answers that permit a call. */
export function isPermitted({ options }: Pick<Question, 'options'>, words: string): boolean {
  const said = words.trim().toLowerCase();
  return said !== DENY && options.some((option) => option.toLowerCase() === said);
}

/** Whether what a person has permitted so far covers a call. */
export function covers(
  given: readonly GivenPermission[],
  { id }: Pick<ModelCall, 'id'>,
  wanted: QuestionDraft,
): boolean {
  const [, more] = wanted.options;
  const isLike = ({ question, answer }: GivenPermission): boolean =>
    answer === EVERYTHING || (answer === more && (more !== SAME || question === wanted.question));
  if (given.some(isLike)) return true;
  const own = given.find((one) => one.id === id);
  if (own === undefined || own.question === wanted.question) return own !== undefined;
  throw new HubError('conflict', 'not done: the file has changed since the person saw what would become of it', {
    hint: 'read it again',
  });
}

/** What a person has permitted on the path to a node for more than one call. Of an imported tree nothing is known here. */
export async function keptPermissions(reach: InternalCaller, tree: TreeId, node: NodeId): Promise<KeptPermission[]> {
  const path = new Set<string>();
  for await (const { nodes } of pathPages(reach, node)) for (const { id } of nodes) path.add(id);
  const kept: KeptPermission[] = [];
  let cursor: string | null = null;
  do {
    const page: ResultOf<'loom.turn_list'> = await callHub(reach, 'loom.turn_list', { tree, cursor, limit: 1_000 });
    for (const { id, node: start } of page.turns) {
      if (!path.has(start)) continue;
      const { questions } = await callHub(reach, 'loom.turn_get', { turn: id });
      const held = questions.filter((one) => path.has(one.id) && isKept(one));
      kept.push(...held.map((one) => ({ ...one, turn: id })));
    }
    cursor = page.cursor;
  } while (cursor !== null);
  return kept;
}

function isKept({ kind, answer, options, withdrawn }: Question): boolean {
  return (
    withdrawn !== true &&
    kind === 'permission' &&
    answer !== null &&
    answer !== ONCE &&
    isPermitted({ options }, answer)
  );
}

/** A permission in one line. */
export function permissionText({ question, answer }: GivenPermission): string {
  return answer === SAME ? `${SAME}: ${question.split('\n').slice(1).join(' ').trim()}` : (answer ?? '');
}
