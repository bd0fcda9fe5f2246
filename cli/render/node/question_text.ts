import type { Question } from '../../../hub/protocol/question.js';
import { clean, cleanLine } from '../text/clean.js';

type OpenQuestionText = Pick<Question, 'kind' | 'question' | 'options'>;

/** One question with its options, numbered from 1. */
export function renderQuestion({ kind, question, options }: OpenQuestionText): string {
  const heading = kind === 'approval' ? renderApproval(question) : clean(question).trimEnd();
  return [heading, ...options.map((option, index) => `  ${index + 1}  ${cleanLine(option)}`)].join('\n');
}

/** Every line of a command is marked, so that none can be taken for text of ours. */
function renderApproval(command: string): string {
  const lines = clean(command).split('\n');
  const prompts = lines.map((line, index) => `  ${index === 0 ? '$' : '>'} ${line}`);
  const all = lines.length > 1 ? ` All ${lines.length} lines of it:` : '';
  return [`No sandbox works here. May this run UNSANDBOXED, as in your own shell?${all}`, ...prompts].join('\n');
}

/** Open questions, numbered when there are several. */
export function renderQuestions(questions: readonly OpenQuestionText[]): string {
  const [only, other] = questions;
  if (only === undefined) return '';
  const texts = questions.map(renderQuestion);
  const items =
    other === undefined ? texts : texts.map((text, index) => `${index + 1}. ${text.replaceAll('\n', '\n   ')}`);
  return [...items, `Answer with: ${answerCommand(questions)}`].join('\n');
}

/** The command that answers the first of some open questions. */
export function answerCommand(questions: readonly OpenQuestionText[]): string {
  const which = questions.length > 1 ? ' --question 1' : '';
  const [first] = questions;
  // An approval is for the person to word: no answer is suggested.
  const option = first?.kind !== 'question' ? '--option <number>' : '--option 1';
  return `cognition answer${which} ${(first?.options.length ?? 0) > 0 ? option : '"…"'}`;
}
