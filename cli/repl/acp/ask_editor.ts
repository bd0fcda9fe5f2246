import type {
  AgentContext,
  PermissionOption,
  RequestPermissionRequest,
  SendRequestOptions,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk/unstable';
import type { Question } from '../../../hub/protocol/question.js';
import { cleanLine } from '../../render/text/clean.js';
import { fenced, textContent } from './session_updates.js';

/** How an editor answers: in words, not now, or by ending the turn. */
export type EditorAnswer = { kind: 'said'; answer: string } | { kind: 'later' } | { kind: 'cancelled' };

export interface EditorQuestion {
  client: AgentContext;
  sessionId: string;
  /** Whether it can have a text typed in. */
  hasForms: boolean;
  signal: AbortSignal;
}

const TITLE_LENGTH_MAX = 200;
const OWN_WORDS = 'own_words';
const LATER: EditorAnswer = { kind: 'later' };

/** Asks the person in an editor. What is asked for words is left open where the editor has no way to take them: the next prompt answers. */
export async function askEditor(editor: EditorQuestion, question: Question): Promise<EditorAnswer> {
  try {
    if (question.options.length > 0) return await choose(editor, question);
    return editor.hasForms ? await fillIn(editor, question) : LATER;
  } catch (error) {
    if (editor.signal.aborted) return { kind: 'cancelled' };
    throw error;
  }
}

async function choose({ client, sessionId, signal }: EditorQuestion, question: Question): Promise<EditorAnswer> {
  const { options } = question;
  const request: RequestPermissionRequest = {
    sessionId,
    toolCall: shownCall(question),
    options: [...options.map(optionOf), ...otherwise(question)],
  };
  const { outcome } = await client.request('session/request_permission', request, endedBy(signal));
  if (outcome.outcome === 'cancelled') return { kind: 'cancelled' };
  const answer = /^\d+$/.test(outcome.optionId) ? options[Number(outcome.optionId) - 1] : undefined;
  return answer === undefined ? LATER : { kind: 'said', answer };
}

/** Whatever is no plain yes or no permits more than this once. */
function optionOf(name: string, index: number): PermissionOption {
  const kind = name === 'deny' ? 'reject_once' : 'allow_always';
  return { optionId: `${index + 1}`, name: cleanLine(name), kind: name === 'allow' ? 'allow_once' : kind };
}

function otherwise({ kind }: Question): PermissionOption[] {
  return kind === 'question' ? [{ optionId: OWN_WORDS, name: 'answer in my own words', kind: 'reject_once' }] : [];
}

function shownCall({ id, question, kind }: Question): ToolCallUpdate {
  const [title = ''] = question.split('\n');
  return {
    ...{ toolCallId: id, title: cleanLine(title.slice(0, TITLE_LENGTH_MAX)), status: 'pending' },
    content: [textContent(kind === 'question' ? question : fenced(question))],
  };
}

async function fillIn(
  { client, sessionId, signal }: EditorQuestion,
  { id, question }: Question,
): Promise<EditorAnswer> {
  const reply = await client.request(
    'elicitation/create',
    {
      ...{ mode: 'form', sessionId, toolCallId: id, message: question },
      requestedSchema: {
        ...{ type: 'object', required: ['answer'] },
        properties: { answer: { type: 'string', title: 'Your answer' } },
      },
    },
    endedBy(signal),
  );
  const answer = reply.action === 'accept' && 'content' in reply ? Object(reply.content).answer : null;
  return typeof answer === 'string' && answer.trim() !== '' ? { kind: 'said', answer } : LATER;
}

/** An editor need not answer what is not asked any more. */
function endedBy(signal: AbortSignal): SendRequestOptions {
  return { cancellationSignal: signal, stopWaitingOnCancel: true };
}
