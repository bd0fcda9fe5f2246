import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import type { ParamsOf } from '../../hub/protocol/methods/method_table.js';
import type { Tree, TurnId } from '../../hub/protocol/node.js';
import type { Question } from '../../hub/protocol/question.js';
import type { Context } from '../command_line/command_context.js';
import { ask, canAsk } from '../input/ask_person.js';
import { renderQuestion, renderQuestions } from '../render/node/question_text.js';
import { shortId } from '../render/text/ids_and_counts.js';
import { type ModelAccess, modelEnvironment } from './model_access.js';
import { type AwaitedTurn, runAnswer } from './run_turn.js';
import type { TurnOutput } from './turn_output.js';

/** An open question, and its turn. */
export interface OpenQuestion {
  turn: TurnId;
  /** Whose hub has the turn, if that is another. */
  by: string | undefined;
  question: Question;
}

/** The options that a turn continues with after its answer. */
export type AnswerOptions = Pick<ParamsOf<'agent.answer'>, 'route' | 'limits' | 'grants'> & { access: ModelAccess };

/** The open questions of a tree: those of the newest turn first. */
export async function openQuestions(context: Context, tree: Tree): Promise<OpenQuestion[]> {
  const client = await context.client();
  const { turns } = await client.call('agent.status', { tree: tree.id });
  return turns.flatMap(({ turn, questions, by }) =>
    questions.filter(({ answer }) => answer === null).map((question) => ({ turn, question, by })),
  );
}

/** The only open question, or the one with the number. */
export function chosenQuestion(open: readonly OpenQuestion[], number: string | undefined, tree: Tree): OpenQuestion {
  if (open.length === 0) {
    throw new HubError('not_found', `no question is open in tree ${shortId(tree.id)}`, {
      hint: ['to say something: ', cliCommand('ask', '@', '"message"')],
    });
  }
  const [only, other] = open;
  if (number === undefined && only !== undefined && other === undefined) return only;
  const chosen = /^\d{1,4}$/.test(number ?? '') ? open[Number(number) - 1] : undefined;
  if (chosen !== undefined) return chosen;
  const listed = renderQuestions(open.map(({ question }) => question));
  if (number !== undefined) {
    throw new HubError('not_found', `there is no question ${number}; open are:\n${listed}`, {
      hint: 'give its number: --question <number>',
    });
  }
  throw new HubError('ambiguous', `${open.length} questions are open:\n${listed}`, {
    hint: 'say which one is meant: --question <number>',
    details: { questions: open.map(({ question }) => question.id) },
  });
}

/** Answers a question, and shows how the turn continues. */
export function giveAnswer(
  context: Context,
  { turn, call, answer, ...options }: AnswerOptions & { turn: TurnId; call: string; answer: AnswerChoice },
  output: TurnOutput,
): Promise<AwaitedTurn> {
  const surroundings = { cwd: process.cwd(), environment: modelEnvironment() };
  return runAnswer(context, { turn, call, answer, ...options, ...surroundings }, output);
}

type AnswerChoice = ParamsOf<'agent.answer'>['answer'];

/** Asks the person at the terminal each question of a turn, until none is open or they answer with an empty line. */
export async function askUntilAnswered(
  context: Context,
  end: AwaitedTurn,
  { options, output }: { options: AnswerOptions; output: () => TurnOutput },
): Promise<AwaitedTurn> {
  let current = end;
  while (current.outcome?.state === 'waiting' && current.interrupted === null && !context.json && canAsk(context)) {
    const question = current.outcome.questions.find(({ answer }) => answer === null);
    if (question === undefined) break;
    context.note(renderQuestion(question));
    const reply = await ask(context, question.options.length > 0 ? 'Your answer, or a number:' : 'Your answer:');
    if (reply === '') break;
    const answer = answerChoice(question, reply);
    current = await giveAnswer(
      context,
      { turn: current.outcome.turn, call: question.id, answer, ...options },
      output(),
    );
  }
  return current;
}

/** A number chooses the option of that number when there is one; anything else is the answer's text. */
export function answerChoice({ options }: Pick<Question, 'options'>, reply: string): AnswerChoice {
  const option = /^\d{1,3}$/.test(reply) ? Number(reply) : 0;
  return option >= 1 && option <= options.length ? { option } : reply;
}
