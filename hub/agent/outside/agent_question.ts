import type { AgentName } from '../../protocol/outside_agent.js';
import type { QuestionDraft } from '../tools/model_call.js';
import { visible } from '../tools/visible_text.js';
import type { AgentQuestion } from './live_exchange.js';

const ONCE = 'allow';
const SAME = 'allow exactly this until it has answered';
const DENY = 'deny';
const TURN = 'allow everything until it has answered';

/** More than a person can be expected to read before they allow it. */
const QUESTION_LENGTH_MAX = 32_768;

/** What a person is asked before an agent does something; null for more than they can be asked to read. */
export function agentQuestion(
  call: string,
  { tool, input, text }: AgentQuestion,
  { agent, isSandboxed }: { agent: AgentName; isSandboxed: boolean },
): QuestionDraft | null {
  const where = isSandboxed ? '' : ' UNSANDBOXED, as in your own shell';
  const lines = linesOf(input);
  const what = lines.length === 0 ? [`  ${text}`] : lines;
  const question = visible([`May ${agent} do this${where}: ${tool}?`, ...what].join('\n'));
  if (question.length > QUESTION_LENGTH_MAX) return null;
  return { call, kind: 'permission', question, options: [ONCE, SAME, DENY, TURN] };
}

export function allowsTurn(words: string): boolean {
  return words.trim().toLowerCase() === TURN;
}

/** Whether the same question need not be asked again. */
export function allowsSame(words: string): boolean {
  return words.trim().toLowerCase() === SAME;
}

/** What an agent is told that was refused. */
export function refusalWords(words: string): string {
  return words.trim().toLowerCase() === DENY ? 'the person did not allow it' : `the person did not allow it: ${words}`;
}

export const TOO_LONG = `the person is asked to read ${QUESTION_LENGTH_MAX} characters at most: do it in smaller parts`;

function linesOf(input: AgentQuestion['input']): string[] {
  if (input === null || typeof input !== 'object') return [];
  return Object.entries(input).flatMap(([name, value]) => {
    const lines = (typeof value === 'string' ? value : JSON.stringify(value)).split('\n');
    if (name === 'command' && typeof value === 'string') {
      return lines.map((line, index) => `  ${index === 0 ? '$' : '>'} ${line}`);
    }
    return lines.length === 1 ? [`  ${name}: ${lines[0]}`] : [`  ${name}:`, ...lines.map((line) => `  > ${line}`)];
  });
}
