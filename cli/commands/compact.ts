import { HubError } from '../../hub/base/error.js';
import type { TurnOutcome } from '../../hub/protocol/turn.js';
import { CURRENT_TREE, command, NODE_WORDS } from '../command_line/command.js';
import type { Context } from '../command_line/command_context.js';
import { treeToChange } from '../input/other_folder.js';
import { EXIT } from '../output/failure.js';
import { newTurnId } from '../position/ids.js';
import { positionOf } from '../position/position.js';
import { remember } from '../position/remember.js';
import { clean } from '../render/text/clean.js';
import { shortId } from '../render/text/ids_and_counts.js';
import { modelAccess } from '../turn/model_access.js';
import { modelRoute } from '../turn/model_route.js';
import { refuseInside } from '../turn/refuse_inside_model.js';
import { runCompaction } from '../turn/run_turn.js';
import { windowPreferences } from '../turn/turn_options.js';
import { type TurnOutput, textOutput } from '../turn/turn_output.js';

export const compactCommand = command({
  name: 'compact',
  summary: 'Have a conversation summarised, and go on from the summary.',
  details:
    'The model is asked for a summary of the path to where you stand, which becomes a node below it; you stand there afterwards. A model is sent what follows with the summary alone, so that the conversation takes less of its window and costs less. Nothing is lost: everything before stays in the tree, and you can go on from any of it. By itself this happens when the window is nearly full, unless the preference `compact` is `off`.',
  arguments: [CURRENT_TREE],
  values: [
    { name: 'model', value: 'model', choices: null, description: 'another model than that of the conversation' },
    { name: 'instructions', value: 'text', choices: null, description: 'what the summary must not leave out' },
    { name: 'at', value: 'node', choices: null, description: `summarise the path to this node: ${NODE_WORDS}` },
  ],
  examples: [
    { line: 'cognition compact', does: 'summarises the branch that you are on' },
    { line: 'cognition compact --instructions "keep the list of open bugs"', does: 'says what matters' },
  ],
  async run(input, context) {
    refuseInside('compact');
    const tree = await treeToChange(context, input.argument('tree') ?? '@', 'read');
    const node = await positionOf(context, tree, input.value('at'));
    const model = input.value('model');
    const { cache, window } = windowPreferences(context);
    const { outcome, interrupted } = await runCompaction(
      context,
      {
        ...{ id: newTurnId(), tree: tree.id, node, access: modelAccess(context.preferences), route: modelRoute() },
        change: model === undefined ? null : { model },
        usual_model: context.preferences.get('model') || null,
        instructions: input.value('instructions') ?? null,
        ...{ cache, window },
      },
      outputFor(context),
    );
    if (outcome?.failure != null) throw failureOf(outcome.failure);
    if (outcome?.state !== 'done') {
      context.note('Interrupted: nothing was summarised.');
      return interrupted ?? EXIT.interrupted;
    }
    await remember(context, (session) => session.move(tree.id, outcome.tip));
    await printSummary(context, outcome);
    return interrupted ?? EXIT.ok;
  },
});

/** Output during the summary: notes for people, nothing with --json. */
function outputFor(context: Context): TurnOutput {
  if (!context.json) return textOutput(context);
  return { take: async () => undefined, end: async () => undefined, hurry: () => undefined };
}

async function printSummary(context: Context, outcome: TurnOutcome): Promise<void> {
  if (context.json) return context.printJson(outcome);
  await context.out.write(`${clean(outcome.text).trimEnd()}\n`);
  context.note(`You stand at the summary, ${shortId(outcome.tip)}.`);
}

function failureOf({ message, data }: NonNullable<TurnOutcome['failure']>): HubError {
  return new HubError(data.kind, message, {
    ...(data.hint === null ? {} : { hint: data.hint }),
    retryable: data.retryable,
  });
}
