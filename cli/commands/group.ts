import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import { command, TREE } from '../command_line/command.js';
import { interruptible } from '../command_line/interruption.js';
import { groupMembers } from '../group/group_members.js';
import { groupThink, ROUNDS_MAX } from '../group/group_think.js';
import { messageFrom } from '../input/message.js';
import { treeToWorkIn } from '../input/other_folder.js';
import { EXIT } from '../output/failure.js';
import { positionOf } from '../position/position.js';
import { lanesIn } from '../race/lanes.js';
import { costLine } from '../render/reports/group_cost.js';
import { clean, cleanLine } from '../render/text/clean.js';
import { refuseInside } from '../turn/refuse_inside_model.js';
import { keysOf } from '../turn/run_turn.js';
import { CONVERSATION_FLAGS, readTurnOptions, TURN_VALUES } from '../turn/turn_options.js';

const ROUNDS_USUAL = 2;

export const groupCommand = command({
  name: 'group',
  summary: 'Have several models think about a question in rounds, and one put their answers together.',
  details:
    'Each first answers on its own, then is told what the others said, and answers again; at the end the first of them writes one answer. They only look. Each is a branch of its own below the question, and the session goes on from the last answer. One that fails is told, and the others go on. With a tree the question is a branch where you stand, and you stay there.',
  arguments: [
    { ...TREE, required: false, description: `${TREE.description}; a session when left out` },
    { name: 'question', required: false, description: 'the question, or - for standard input', completes: null },
  ],
  flags: CONVERSATION_FLAGS,
  values: [
    { name: 'with', value: 'models', choices: null, description: 'who thinks: sonnet,gpt,gemini, or an agent: claude' },
    {
      name: 'rounds',
      value: 'number',
      choices: null,
      description: `how often each answers; ${ROUNDS_USUAL} when left out`,
    },
    { name: 'output-format', value: 'words', choices: null, description: 'how the last answer is to look' },
    { name: 'session', value: 'name', choices: null, description: 'the session to ask in; a new one when left out' },
    { name: 'files', value: 'paths', choices: null, description: 'files to tell them of, with commas between them' },
    ...TURN_VALUES,
  ],
  examples: [
    { line: 'cognition group "which database fits?" --with sonnet,gpt', does: 'two models, two rounds' },
    { line: 'cognition group @ "is that right?" --with demo,demo --rounds 1', does: 'asks beside the conversation' },
  ],
  async run(input, context) {
    refuseInside('group');
    const [first, second] = [input.argument('tree'), input.argument('question')];
    const session = input.value('session') ?? null;
    const message = second ?? first;
    const names = input.value('with');
    if (message === undefined || names === undefined || (second !== undefined && session !== null)) {
      throw new HubError('invalid_params', problem(message, names), {
        hint: [cliCommand('group', '"question"', '--with', 'sonnet,gpt')],
      });
    }
    const rounds = roundsFrom(input.value('rounds'));
    const options = await readTurnOptions(input, context);
    const members = await groupMembers(context, options, lanesIn(names));
    const question = await messageFrom(message);
    const tree = second === undefined || first === undefined ? null : await treeToWorkIn(context, first, false);
    const at = tree === null ? null : { tree: tree.id, node: await positionOf(context, tree, undefined) };
    const files = (input.value('files') ?? '').split(',').filter((path) => path !== '');
    const request = {
      question,
      members,
      rounds,
      session,
      at,
      files,
      outputFormat: input.value('output-format') ?? null,
    };
    const abort = new AbortController();
    const tell = (line: string): void => context.note(cleanLine(line));
    const parts = { context, options, keys: keysOf(context, options), signal: abort.signal, tell };
    const { result, interrupted } = await interruptible(
      () => groupThink(parts, request),
      () => abort.abort(),
    );
    if (context.json) await context.printJson(result);
    else {
      await context.out.write(`${clean(result.text).trimEnd()}\n`);
      context.note(at === null ? `Session: ${result.session}` : 'It is a branch of its own.');
      context.note(costLine(result));
    }
    return interrupted ?? EXIT.ok;
  },
});

function problem(message: string | undefined, names: string | undefined): string {
  if (message === undefined) return 'group takes a question';
  return names === undefined ? 'group takes --with, the models that think' : 'a tree is no session';
}

function roundsFrom(text: string | undefined): number {
  const rounds = text === undefined ? ROUNDS_USUAL : Number(text);
  if (Number.isInteger(rounds) && rounds >= 1 && rounds <= ROUNDS_MAX) return rounds;
  throw new HubError('invalid_params', `--rounds takes a whole number from 1 to ${ROUNDS_MAX}, not ${text}`);
}
