import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import { command, NODE_WORDS, TREE } from '../command_line/command.js';
import { messageFrom } from '../input/message.js';
import { metaFrom } from '../input/meta_option.js';
import { treeToChange } from '../input/other_folder.js';
import { EXIT } from '../output/failure.js';
import { positionOf } from '../position/position.js';
import { remember } from '../position/remember.js';
import { shortId } from '../render/text/ids_and_counts.js';
import { DURABLE, readDurable } from '../sharing/durable_remote.js';

export const addCommand = command({
  name: 'add',
  summary: 'Add a message to a conversation, without asking a model.',
  details:
    'The message goes where you stand and moves you there. With - it is read from standard input: line ends become LF and those at the end are dropped.',
  arguments: [
    TREE,
    { name: 'message', required: false, description: 'the text, or - for standard input', completes: null },
  ],
  values: [
    DURABLE,
    { name: 'at', value: 'node', choices: null, description: `add it below this node instead: ${NODE_WORDS}` },
    {
      name: 'meta',
      value: 'key=value',
      choices: null,
      description: 'what your program says of it: no model is sent it',
    },
  ],
  examples: [
    { line: 'cognition add @ "look at the lexer first"', does: 'adds a note to the current conversation' },
    { line: 'git diff | cognition add @ -', does: 'adds what another program prints' },
    { line: 'cognition add @ "all green" --meta run=42,kind=ci', does: 'adds it with what your own program looks for' },
    { line: 'cognition add trip "agreed" --durable remote', does: 'adds it, and ends when the others can have it' },
    { line: 'cognition add @ "another idea" --at 5e6f7a8b', does: 'adds it elsewhere, which makes a branch' },
  ],
  async run(input, context) {
    const given = input.argument('message');
    if (given === undefined) {
      throw new HubError('invalid_params', 'add takes a conversation and a message', {
        hint: [cliCommand('add', '@', '"message"'), '   (@ is the current conversation)'],
      });
    }
    const text = await messageFrom(given);
    const meta = metaFrom(input.value('meta'));
    const tree = await treeToChange(context, input.required('tree'), 'read');
    const parent = await positionOf(context, tree, input.value('at'));
    const awaitRemotes = await readDurable(context, input.value('durable'), tree.id);
    const client = await context.client();
    const { node, branched } = await client.call('loom.node_create_text', {
      tree: tree.id,
      parent,
      role: 'user',
      blocks: [{ type: 'text', text }],
      ...(meta === null ? {} : { meta }),
    });
    await remember(context, (session) => session.move(tree.id, node.id));
    if (context.json) await context.printJson({ ...node, branched });
    else await context.out.write(`Added ${shortId(node.id)}${branched ? ', a new branch' : ''}\n`);
    await awaitRemotes(node.id);
    return EXIT.ok;
  },
});
