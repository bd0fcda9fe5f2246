import type { Question } from '../../../hub/protocol/question.js';
import { clean, cleanLine } from '../text/clean.js';

type Shown = Pick<Question, 'kind' | 'question' | 'options'>;

/** One question with what can be chosen, numbered from 1. */
export function renderQuestion({ kind, question, options }: Shown): string {
  const asked = kind === 'approval' ? renderApproval(question) : clean(question).trimEnd();
  return [asked, ...options.map((option, index) => `  ${index + 1}  ${cleanLine(option)}`)].join('\n');
}

/** Every line of a command is marked, so that none can be taken for what is said about it. */
function renderApproval(command: string): string {
  const lines = clean(command).split('\n');
  const shown = lines.map((line, index) => `  ${index === 0 ? '$' : '>'} ${line}`);
  const all = lines.length > 1 ? ` All ${lines.length} lines of it:` : '';
  return [`No sandbox works here. May this run UNSANDBOXED, as in your own shell?${all}`, ...shown].join('\n');
}

/** Open questions, numbered when there are several, and how they are answered. */
export function renderQuestions(questions: readonly Shown[]): string {
  const [only, other] = questions;
  if (only === undefined) return '';
  const shown = questions.map(renderQuestion);
  const texts =
    other === undefined ? shown : shown.map((text, index) => `${index + 1}. ${text.replaceAll('\n', '\n   ')}`);
  return [...texts, `Answer with: ${answerCommand(questions)}`].join('\n');
}

/** The command that answers the first of some open questions. */
export function answerCommand(questions: readonly Shown[]): string {
  const which = questions.length > 1 ? ' --question 1' : '';
  const [first] = questions;
  // What is allowed is for the person to say, without a word of ours to copy.
  const option = first?.kind === 'approval' ? '--option <number>' : '--option 1';
  return `cognition answer${which} ${(first?.options.length ?? 0) > 0 ? option : '"…"'}`;
}
