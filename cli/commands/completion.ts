import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import type { Tree } from '../../hub/protocol/node.js';
import { type Command, type CommandGroup, command } from '../command_line/command.js';
import type { Context } from '../command_line/command_context.js';
import { runningHub } from '../command_line/running_hub.js';
import { candidatesFor } from '../help/completion_candidates.js';
import { completionScript, SHELLS } from '../help/completion_scripts.js';
import { EXIT } from '../output/failure.js';
import { clean } from '../render/text/clean.js';

/** What the scripts take as: files of the current folder. */
const FILES = ':files';
// Enough to choose from: with more, one types a letter first.
const TREES_MAX = 500;

type Table = readonly (Command | CommandGroup)[];

/** Takes the table as a function, because the table includes this command. */
export const completionCommand = (table: () => Table): Command =>
  command({
    name: 'completion',
    summary: 'Print a script that makes the shell complete commands, options and conversations.',
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
  const { words: fixed, more } = candidatesFor(words, table);
  const trees = more === 'trees' ? await treeReferences(context) : [];
  const fitting = [...fixed, ...trees].filter((word) => word.startsWith(typed));
  await context.out.write([...fitting, ...(more === 'files' ? [FILES] : [])].map((word) => `${word}\n`).join(''));
}

/** Names of trees, and short ids of unnamed ones. Completion never starts a hub. */
async function treeReferences(context: Context): Promise<string[]> {
  const client = await runningHub(context);
  if (client === null) return [];
  const { trees } = await client.call('loom.tree_list', { limit: TREES_MAX });
  await client.close();
  return trees.map(({ name, id }: Tree) => (name === null || !isPlain(name) ? id.slice(0, 8) : name));
}

/** Whether a shell would show and take a name as it is: one from a file may have signs that do not show, or be our own word. */
function isPlain(name: string): boolean {
  return clean(name) === name && !/[\n\t]/.test(name) && name !== FILES;
}
