import { HubError } from '../../base/error.js';
import { rpcMethod } from '../../base/hint.js';
import type { Block, External } from '../../protocol/node.js';
import type { Question } from '../../protocol/question.js';
import { type GivenPermission, isPermitted } from './call_permissions.js';
import type { CallResult, ModelCall, QuestionDraft } from './model_call.js';
import { isVisible } from './visible_text.js';

/** An answer as it is given: words, or the number of an option, from 1. */
export type AnswerInput = string | { option: number };

/** The words of an answer, whichever way it was given. */
export function answerText({ options }: Pick<QuestionDraft, 'options'>, said: AnswerInput): string {
  if (typeof said === 'string') {
    if (said.trim() !== '') return said;
    throw new HubError('invalid_params', 'an answer needs some text', {
      hint: ['to end the turn instead: ', rpcMethod('agent.stop')],
    });
  }
  const chosen = options[said.option - 1];
  if (chosen !== undefined) return chosen;
  const all = options.map((option, index) => `${index + 1} ${option}`).join(', ');
  throw new HubError('invalid_params', `there is no option ${said.option}`, {
    hint: options.length === 0 ? 'there is nothing to choose from: answer in words' : `the options are: ${all}`,
  });
}

/** The result of a call that a person answered: their words. The same words make the same result. */
export function answerResult(
  { call, tool, input }: Pick<ModelCall, 'call' | 'tool' | 'input'>,
  text: string,
): CallResult {
  const blocks: Block[] = [{ type: 'text', text }];
  const external: External = {
    call: { tool, input, id: call },
    handle: { source: 'person', source_version: '1.0.0', identifier: call, metadata: { tool } },
    ...{ output: null, exit_code: 0, signal: null, duration_ms: null, cwd: null },
  };
  return { blocks, external };
}

const ALLOW = 'allow';
const ALLOW_TURN = 'allow for this turn';
const DENY = 'deny';

/** Commands that a person lets run as in their own shell, where no sandbox works. */
export interface Approvals {
  /** Whether a person can be asked: a sub-session cannot keep its parent waiting. */
  mayAsk: boolean;
  /** All of the turn. */
  all: boolean;
  /** By the ids that their nodes will have: those of calls are the model's own, and may come again. */
  commands: ReadonlySet<string>;
  /** At level `ask`: what permits calls. */
  permissions: readonly GivenPermission[];
}

/** Whether an answer allows a command; anything but the exact words denies it. */
export function isAllowed({ kind, options }: Pick<Question, 'kind' | 'options'>, words: string): boolean {
  if (kind === 'permission') return isPermitted({ options }, words);
  return kind === 'approval' && [ALLOW, ALLOW_TURN].includes(words.trim().toLowerCase());
}

/** What a person has allowed a turn so far. */
export function approvalsIn(questions: readonly Question[]): Omit<Approvals, 'mayAsk'> {
  const given = questions.filter((one) => one.answer !== null && isAllowed(one, one.answer));
  const allowed = given.filter(({ kind }) => kind === 'approval');
  return {
    all: allowed.some(({ answer }) => answer?.trim().toLowerCase() === ALLOW_TURN),
    commands: new Set(allowed.map(({ id }) => id)),
    permissions: given.filter(({ kind }) => kind === 'permission'),
  };
}

/** The longest command that a person can be expected to read before they allow it. */
const APPROVED_LENGTH_MAX = 4_096;

/** Why a person cannot allow a command, for the model that made it: they must see all that would run, as it is. */
export function approvalProblem(command: string): HubError | null {
  const problem = displayProblem(command);
  if (problem === null) return null;
  return new HubError('invalid_params', `bash was not run: a person must allow each command here, and ${problem}`, {
    hint: 'write a file and run that, or make several short commands of it',
  });
}

function displayProblem(command: string): string | null {
  if (!isVisible(command)) return 'this one holds characters that they would not see';
  if (command.length <= APPROVED_LENGTH_MAX) return null;
  return `this one is longer than ${APPROVED_LENGTH_MAX} characters`;
}

/** The question whether a command may run without a sandbox. */
export function approvalQuestion(call: string, command: string): QuestionDraft {
  return { call, kind: 'approval', question: command, options: [ALLOW, ALLOW_TURN, DENY] };
}

/** The result of a command that the person did not allow. */
export function deniedResult(called: Pick<ModelCall, 'call' | 'tool' | 'input'>, words: string): CallResult {
  const why = words.trim().toLowerCase() === DENY ? '' : `, and said: ${words}`;
  const { blocks, external } = answerResult(called, `not run: the person did not allow it${why}`);
  return { blocks, external: { ...external, exit_code: 1 } };
}
