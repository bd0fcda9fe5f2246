import { HubError } from '../../hub/base/error.js';
import { withFormat } from '../../hub/base/group/group_words.js';
import { cliCommand } from '../../hub/base/hint.js';
import { command, TREE } from '../command_line/command.js';
import { messageFrom } from '../input/message.js';
import { treeToWorkIn } from '../input/other_folder.js';
import { newTurnId } from '../position/ids.js';
import { positionOf } from '../position/position.js';
import { modelEnvironment } from '../turn/model_access.js';
import { refuseInside } from '../turn/refuse_inside_model.js';
import { reportEnd, runTurn } from '../turn/run_turn.js';
import { addToSession, markSession } from '../turn/session_turn.js';
import { readTurnOptions, TURN_FLAGS, TURN_VALUES } from '../turn/turn_options.js';
import { jsonLines, jsonOutcome, textOutput } from '../turn/turn_output.js';

export const consultCommand = command({
  name: 'consult',
  summary: 'Ask another model what it thinks: it only looks.',
  details:
    'With a tree the question is a branch of its own where you stand, told all that was said above, and you stay where you are. With a message alone, or with --session, it is asked in a session of the project, which you and other agents go on with by its name.',
  arguments: [
    { ...TREE, required: false, description: `${TREE.description}; a session when left out` },
    { name: 'message', required: false, description: 'the question, or - for standard input', completes: null },
  ],
  flags: TURN_FLAGS,
  values: [
    ...TURN_VALUES,
    { name: 'session', value: 'name', choices: null, description: 'the session to ask in; a new one when left out' },
    { name: 'output-format', value: 'words', choices: null, description: 'how the answer is to look' },
    { name: 'files', value: 'paths', choices: null, description: 'files to tell it of, with commas between them' },
  ],
  examples: [
    { line: 'cognition consult @ "is that right?" --model demo', does: 'asks beside the current conversation' },
    { line: 'cognition consult "any races?" --files a.ts,b.ts --session races', does: 'asks in a session' },
  ],
  async run(input, context) {
    refuseInside('consult');
    const [first, second] = [input.argument('tree'), input.argument('message')];
    const session = input.value('session') ?? null;
    const message = second ?? first;
    if (message === undefined || (second !== undefined && session !== null)) {
      throw new HubError(
        'invalid_params',
        message === undefined ? 'consult takes a question' : 'a tree is no session',
        {
          hint: [cliCommand('consult', '"question"', '--model', '<model>')],
        },
      );
    }
    const options = await readTurnOptions(input, context);
    const text = withFormat(await messageFrom(message), input.value('output-format'));
    const tree = second === undefined || first === undefined ? null : await treeToWorkIn(context, first, false);
    const at = tree === null ? null : { tree: tree.id, node: await positionOf(context, tree, undefined) };
    const change = { ...options.change, level: 'readonly' as const };
    const files = (input.value('files') ?? '').split(',').filter((path) => path !== '');
    const place = await addToSession(context, options, { session, at, text, files, change, isModel: true });
    context.note(place.isBranch ? 'It is a branch of its own.' : `Session: ${place.session}`);
    const { tree: id, node } = place;
    const params = {
      ...options,
      change,
      id: newTurnId(),
      tree: id,
      node,
      cwd: context.cwd,
      environment: modelEnvironment(),
    };
    const shown = context.json ? jsonOutcome(context) : textOutput(context);
    const end = await runTurn(context, params, input.flag('jsonl') ? jsonLines(context) : shown);
    if (end.outcome !== null) await markSession(await context.client(), place, end.outcome);
    return reportEnd(context, end, cliCommand('ask', id, '--continue'));
  },
});
