import { command, NODE_WORDS, TREE } from './command_line/command.js';
import { THERE } from './input/other_folder.js';
import { refuseInside } from './turn/refuse_inside_model.js';
import { CONVERSATION_FLAGS, readTurnOptions, TURN_VALUES } from './turn/turn_options.js';

export const chatCommand = command({
  name: 'chat',
  summary: 'Talk: alone it starts a conversation, with a tree it goes on in that.',
  details:
    'What you say is answered by a model, which works with its tools. Lines that begin with / are commands: /help lists them; !command runs in bash. Without a model messages are notes, and everything else works. Without a terminal it reads line by line and prints plain text.',
  arguments: [{ ...TREE, required: false, description: `${TREE.description}; a new one when left out` }],
  flags: [
    ...[...CONVERSATION_FLAGS, THERE],
    { name: 'list', short: null, description: 'choose the conversation from a list: search, preview, archived ones' },
    { name: 'files', short: null, description: 'files come along to other nodes, also in a script' },
    { name: 'keep-files', short: null, description: 'files stay as they are wherever you go' },
    { name: 'accessible', short: null, description: 'labelled lines that are only appended: for screen readers' },
  ],
  values: [
    ...TURN_VALUES,
    { name: 'at', value: 'node', choices: null, description: `stand at this node: ${NODE_WORDS}` },
  ],
  examples: [
    { line: 'cognition chat', does: 'starts a conversation' },
    { line: 'cognition chat @', does: 'goes on in the current one' },
    { line: 'cognition chat --list', does: 'goes on in one that you choose from a list' },
    { line: 'cognition chat --model demo', does: 'tries it without a key: no AI, only a few rules' },
  ],
  async run(input, context) {
    refuseInside('chat');
    const { runChat } = await import('./repl/start.js');
    return runChat(context, {
      tree: input.argument('tree'),
      at: input.value('at'),
      wanted: await readTurnOptions(input, context),
      isAccessible: input.flag('accessible'),
      isThere: input.flag('there'),
      isChoosing: input.flag('list'),
      follows: input.flag('files') || input.flag('keep-files') ? input.flag('files') : null,
    });
  },
});
