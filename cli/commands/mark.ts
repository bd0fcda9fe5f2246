import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import type { Client } from '../../hub/client/client.js';
import type { Mark, Tree } from '../../hub/protocol/node.js';
import { CURRENT_TREE, command, NODE_WORDS } from '../command_line/command.js';
import type { Context } from '../command_line/command_context.js';
import { treeToChange } from '../input/other_folder.js';
import { EXIT } from '../output/failure.js';
import { writeJsonArray } from '../output/sink.js';
import { positionOf } from '../position/position.js';
import { findTree, quoted } from '../position/reference.js';
import { formatAge } from '../render/text/age.js';
import { clean, cleanLine } from '../render/text/clean.js';
import { columns } from '../render/text/columns.js';
import { shortId } from '../render/text/ids_and_counts.js';

export const markCommand = command({
  name: 'mark',
  summary: 'Give a node a name that can be used in place of its id.',
  details: 'Without a name it lists the marks of the conversation. A mark that exists is moved.',
  arguments: [
    CURRENT_TREE,
    { name: 'name', required: false, description: 'the mark, of one line', completes: 'mark' },
    { name: 'node', required: false, description: `${NODE_WORDS}; where you stand when left out`, completes: 'node' },
  ],
  flags: [{ name: 'remove', short: null, description: 'remove the mark' }],
  examples: [
    { line: 'cognition mark @ before-refactoring', does: 'marks where you stand' },
    { line: 'cognition mark @', does: 'lists the marks' },
    { line: 'cognition show @ --at before-refactoring', does: 'uses one' },
  ],
  async run(input, context) {
    const name = input.argument('name');
    const find = name === undefined ? findTree : treeToChange;
    const tree = await find(context, input.argument('tree') ?? '@', 'read');
    const client = await context.client();
    if (name === undefined) {
      if (input.flag('remove')) throw new HubError('invalid_params', '--remove needs the name of a mark');
      return listMarks(client, tree, context);
    }
    if (input.flag('remove')) {
      if (input.argument('node') !== undefined) throw new HubError('invalid_params', '--remove takes no node');
      await mustExist(client, tree, name);
      await client.call('loom.mark_set', { tree: tree.id, name, node: null });
      if (context.json) await context.printJson(null);
      else await context.out.write(`Removed the mark ${clean(quoted(name))}.\n`);
      return EXIT.ok;
    }
    if (name === 'root') {
      throw new HubError('invalid_params', '"root" always means the root, so it cannot be a mark');
    }
    const node = await positionOf(context, tree, input.argument('node'));
    const { mark } = await client.call('loom.mark_set', { tree: tree.id, name, node });
    if (context.json) await context.printJson(mark);
    else await context.out.write(`Marked ${shortId(node)} as ${clean(quoted(name))}.\n`);
    return EXIT.ok;
  },
});

async function mustExist(client: Client, tree: Tree, name: string): Promise<void> {
  for await (const mark of marksOf(client, tree)) if (mark.name === name) return;
  throw new HubError('not_found', `there is no mark ${quoted(name)}`, {
    hint: ['see them with: ', cliCommand('mark', shortId(tree.id))],
  });
}

function marksOf(client: Client, tree: Tree): AsyncIterable<Mark> {
  return client.pages('loom.mark_list', { tree: tree.id }, 'marks');
}

async function listMarks(client: Client, tree: Tree, context: Context): Promise<number> {
  const marks = marksOf(client, tree);
  if (context.json) {
    await writeJsonArray(context.out, marks);
    return EXIT.ok;
  }
  const all: Mark[] = [];
  for await (const mark of marks) all.push(mark);
  const look = await context.look(all.map(({ name }) => name));
  const rows = all.map(({ name, node, set_at_ms }) => [
    shortId(node),
    formatAge(set_at_ms, look.nowMs),
    cleanLine(name),
  ]);
  await context.out.write(
    columns(rows, look)
      .map((line) => `${line}\n`)
      .join(''),
  );
  if (all.length === 0) context.note(['No marks yet. Set one with: ', cliCommand('mark', '<tree>', '<name>')]);
  return EXIT.ok;
}
