import type { Question } from '../../hub/protocol/methods/parking.js';
import { clean, cleanLine } from './clean.js';

type Shown = Pick<Question, 'kind' | 'question' | 'options'>;

/** One question with what can be chosen, numbered from 1. */
export function renderQuestion({ kind, question, options }: Shown): string {
  const asked =
    kind === 'approval'
      ? `No sandbox works here. May this run UNSANDBOXED, as in your own shell?\n  ${question}`
      : question;
  return [clean(asked).trimEnd(), ...options.map((option, index) => `  ${index + 1}  ${cleanLine(option)}`)].join('\n');
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
  const hasOptions = (questions[0]?.options.length ?? 0) > 0;
  return `cognition answer${which} ${hasOptions ? '--option 1' : '"…"'}`;
}
