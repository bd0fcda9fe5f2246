import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import type { Tree } from '../../hub/protocol/node.js';
import { CURRENT_TREE, command, type Input } from '../command_line/command.js';
import type { Context } from '../command_line/command_context.js';
import { messageFrom } from '../input/message.js';
import { treeToChange } from '../input/other_folder.js';
import { EXIT } from '../output/failure.js';
import { remember } from '../position/remember.js';
import { renderQuestion } from '../render/node/question_text.js';
import { cleanLine } from '../render/text/clean.js';
import {
  answerChoice,
  askUntilAnswered,
  chosenQuestion,
  giveAnswer,
  type OpenQuestion,
  openQuestions,
} from '../turn/answer_questions.js';
import { modelAccess } from '../turn/model_access.js';
import { modelRoute } from '../turn/model_route.js';
import { refuseInside } from '../turn/refuse_inside_model.js';
import { reportEnd } from '../turn/run_turn.js';
import { LIMIT_VALUES, noteUnsandboxed, PERMISSION_FLAGS, readGrants, readLimits } from '../turn/turn_options.js';
import { answerOnly, jsonLines, jsonOutcome, type TurnOutput, textOutput } from '../turn/turn_output.js';

export const answerCommand = command({
  name: 'answer',
  summary: 'Answer what a model has asked, and let it go on.',
  details:
    'A model that makes a plan may ask. Its turn then waits, for as long as it takes, also when the hub is stopped; what it asked is answered from any terminal, once. Without words or a number the open questions are listed.',
  arguments: [
    CURRENT_TREE,
    { name: 'text', required: false, description: 'the answer, or - for standard input', completes: null },
  ],
  flags: [{ name: 'stop', short: null, description: 'end the turn instead, without an answer' }, ...PERMISSION_FLAGS],
  values: [
    { name: 'option', value: 'number', choices: null, description: 'what was offered under this number' },
    { name: 'question', value: 'number', choices: null, description: 'which of several open questions' },
    ...LIMIT_VALUES,
  ],
  examples: [
    { line: 'cognition answer "the left one"', does: 'answers the open question of the current tree' },
    { line: 'cognition answer --option 2', does: 'takes the second of what was offered' },
    { line: 'cognition answer notes --stop', does: 'ends the turn that asked' },
  ],
  async run(input, context) {
    refuseInside('answer');
    const reply = await readArguments(input);
    const tree = await treeToChange(context, reply.tree ?? '@', 'read');
    const open = await openQuestions(context, tree);
    if (input.flag('stop')) return stop(context, tree, chosenTurn(open, input.value('question'), tree));
    const chosen = chosenQuestion(open, input.value('question'), tree);
    if (chosen.by !== undefined) refusePermission(chosen.by, chosen);
    if (reply.answer === null) throw missingAnswer(chosen);
    const options = {
      access: modelAccess(context.preferences),
      route: modelRoute(),
      limits: readLimits(input),
      grants: readGrants(input),
    };
    noteUnsandboxed(context, options);
    if (chosen.by !== undefined) context.note(`It goes to ${cleanLine(chosen.by)}'s hub, where the turn goes on.`);
    const output = (): TurnOutput => outputFor(input, context, chosen);
    const params = { ...options, turn: chosen.turn, call: chosen.question.id, answer: reply.answer(chosen.question) };
    const first = await giveAnswer(context, params, output());
    const end = input.flag('jsonl') ? first : await askUntilAnswered(context, first, { options, output });
    const { outcome } = end;
    if (outcome !== null) {
      const { turn } = outcome.state === 'waiting' ? outcome : { turn: undefined };
      await remember(context, (session) => session.move(tree.id, outcome.tip, turn));
    }
    return reportEnd(context, end);
  },
});

type AnswerWords = Input<
  'tree' | 'text',
  'stop' | (typeof PERMISSION_FLAGS)[number]['name'],
  'option' | 'question' | (typeof LIMIT_VALUES)[number]['name']
>;

interface AnswerArguments {
  tree: string | undefined;
  /** Makes the answer to a question; null when the command line has none. */
  answer: ((question: OpenQuestion['question']) => ReturnType<typeof answerChoice>) | null;
}

/** A single argument is the answer, or the tree when --option or --stop answers. Piped input is always text, even a number. */
async function readArguments(input: AnswerWords): Promise<AnswerArguments> {
  const [first, second] = [input.argument('tree'), input.argument('text')];
  const option = input.value('option');
  if (option === undefined && !input.flag('stop')) {
    const words = second ?? first;
    const tree = second === undefined ? undefined : first;
    if (words === undefined) return { tree, answer: null };
    const piped = words === '-' ? await messageFrom(words) : null;
    return { tree, answer: (question) => piped ?? answerChoice(question, words) };
  }
  if (second !== undefined || (option !== undefined && input.flag('stop'))) {
    throw new HubError('invalid_params', 'an answer is words, --option or --stop, and not several of them');
  }
  const chosen = option === undefined ? null : { option: optionFrom(option) };
  return { tree: first, answer: chosen === null ? null : () => chosen };
}

function optionFrom(text: string): number {
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw new HubError('invalid_params', `--option takes a number from 1 on, not ${text}`);
}

function outputFor(input: AnswerWords, context: Context, { by }: OpenQuestion): TurnOutput {
  if (input.flag('jsonl')) return jsonLines(context);
  if (context.json) return jsonOutcome(context);
  // What another hub's turn says comes with its steps.
  return by === undefined ? textOutput(context) : answerOnly(context);
}

/** Stopping a turn ends all of its questions. */
function chosenTurn(open: readonly OpenQuestion[], number: string | undefined, tree: Tree): OpenQuestion {
  const turns = new Set(open.map(({ turn }) => turn));
  return chosenQuestion(number === undefined && turns.size === 1 ? open.slice(0, 1) : open, number, tree);
}

async function stop(context: Context, tree: Tree, { turn }: OpenQuestion): Promise<number> {
  const client = await context.client();
  const { outcome } = await client.call('agent.stop', { turn });
  await remember(context, (session) => session.move(tree.id, outcome.tip));
  if (context.json) await context.printJson(outcome);
  else context.note(['Ended without an answer. To say something instead: ', cliCommand('ask', '@', '"message"')]);
  return EXIT.ok;
}

/** What may run on a machine is decided at that alone. */
function refusePermission(by: string, { question }: OpenQuestion): void {
  if (question.kind === 'question') return;
  throw new HubError('unauthorised', `${cleanLine(by)}'s hub waits for a permission, which is given there`, {
    hint: ['or end the turn: ', cliCommand('answer', '--stop')],
  });
}

function missingAnswer({ question }: OpenQuestion): HubError {
  return new HubError('invalid_params', `an answer is missing to: ${renderQuestion(question)}`, {
    hint: [
      ...[cliCommand('answer', '"words"'), ', ', cliCommand('answer', '--option', '<number>')],
      ...[', or ', cliCommand('answer', '--stop')],
    ],
  });
}
