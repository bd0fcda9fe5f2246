import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import type { Client } from '../../hub/client/client.js';
import type { TreeId } from '../../hub/protocol/node.js';
import { type Command, type CommandGroup, command } from '../command_line/command.js';
import type { Context } from '../command_line/command_context.js';
import { runningHub } from '../command_line/running_hub.js';
import { type Candidates, candidatesFor } from '../help/completion_candidates.js';
import { completionScript, SHELLS } from '../help/completion_scripts.js';
import { EXIT } from '../output/failure.js';
import { findTree } from '../position/reference.js';
import { clean } from '../render/text/clean.js';
import { shortId } from '../render/text/ids_and_counts.js';

/** What the scripts take as: files of the current folder. */
const FILES = ':files';
// Enough to choose from: with more, one types a letter first.
const TREES_MAX = 500;
const NAMES_MAX = 100;

type Table = readonly (Command | CommandGroup)[];

/** Takes the table as a function, because the table includes this command. */
export const completionCommand = (table: () => Table): Command =>
  command({
    name: 'completion',
    summary: 'Print a script that makes the shell complete commands, options, conversations, nodes, marks and models.',
    arguments: [
      { name: 'shell', required: false, description: SHELLS.join(', '), completes: 'shell' },
      { name: 'words', required: false, description: 'with --complete: the words so far', completes: null },
    ],
    variadic: true,
    flags: [{ name: 'complete', short: null, description: 'print what can stand at the last word; for the scripts' }],
    examples: [
      { line: 'source <(cognition completion bash)', does: 'in ~/.bashrc' },
      { line: 'source <(cognition completion zsh)', does: 'in ~/.zshrc' },
      { line: 'cognition completion fish > ~/.config/fish/completions/cognition.fish', does: 'once, for fish' },
    ],
    async run(input, context) {
      if (input.flag('complete')) {
        await complete(context, table(), input.rest());
        return EXIT.ok;
      }
      const shell = SHELLS.find((one) => one === input.argument('shell'));
      if (shell === undefined) {
        throw new HubError('invalid_params', `completion takes one of ${SHELLS.join(', ')}`, {
          hint: ['source <(', cliCommand('completion', 'bash'), ')'],
        });
      }
      await context.out.write(completionScript(shell));
      return EXIT.ok;
    },
  });

async function complete(context: Context, table: Table, words: readonly string[]): Promise<void> {
  const typed = words.at(-1) ?? '';
  const found = candidatesFor(words, table);
  const [option = ''] = /^--[^=]+=/.exec(typed) ?? [];
  const named = (await namesOf(context, found)).map((name) => option + name);
  const fitting = [...found.words, ...named].filter((word) => word.startsWith(typed) && isPlain(word));
  await context.out.write([...fitting, ...(found.more === 'files' ? [FILES] : [])].map((word) => `${word}\n`).join(''));
}

/** Whether a shell would show and take a word as it is: one from a file may have signs that do not show, or be our own word. */
function isPlain(word: string): boolean {
  return clean(word) === word && !/[\n\t\p{Cf}]/u.test(word) && word !== FILES;
}

/** What the hub knows by name. Completion never starts one. */
async function namesOf(context: Context, found: Candidates): Promise<string[]> {
  const client = await runningHub(context);
  if (client === null) return [];
  try {
    switch (found.more) {
      case 'trees':
        return await treeReferences(client);
      case 'models':
        return (await client.call('agent.providers', {})).aliases.map(({ name }) => name);
      case 'marks':
      case 'nodes':
        return await nodeReferences(client, (await findTree(context, found.tree, 'read')).id, found.more);
      case 'files':
      case null:
        return [];
    }
  } finally {
    await client.close();
  }
}

/** Marks, and for nodes the ends of branches as well. */
async function nodeReferences(client: Client, tree: TreeId, what: 'marks' | 'nodes'): Promise<string[]> {
  const { marks } = await client.call('loom.mark_list', { tree, limit: NAMES_MAX });
  if (what === 'marks') return marks.map(({ name }) => name);
  const { leaves } = await client.call('loom.context_list_leaves', { tree, limit: NAMES_MAX });
  return [...marks.map(({ name }) => name), ...leaves.map(({ node }) => shortId(node.id))];
}

/** Names of trees, and short ids of those without one. */
async function treeReferences(client: Client): Promise<string[]> {
  const { trees } = await client.call('loom.tree_list', { limit: TREES_MAX });
  return trees.map(({ id, name }) => (name !== null && isPlain(name) ? name : shortId(id)));
}
