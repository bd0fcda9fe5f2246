import { HubError } from '../../../hub/base/error.js';
import { shortId } from '../../render/text/ids_and_counts.js';
import type { Bound } from '../cli_commands/bounded_output.js';
import { cliCommand, runCliCommand } from '../cli_commands/cli_command.js';
import type { ReplCommand } from '../repl.js';
import { wordsOf } from '../tree/split_words.js';

const AT = ['@'];
/** More lines than these push everything else out of sight. */
const LINES_MAX = 400;
/** The limit for commands that print everything: nobody reads more in a chat. */
const ALL_LINES_MAX = 10_000;
const FIRST: Bound = { lines: LINES_MAX, keeps: 'first' };
/** Of what is printed on and on the end is enough. */
const END: Bound = { lines: 40, keeps: 'last' };
const LAST: Bound = { lines: LINES_MAX, keeps: 'last' };

// Commands that behave in the chat as on the command line.

export const contextCommand = cliCommand({
  ...{ before: AT, completes: 'node', bound: LAST },
  ...{
    name: 'context',
    usage: '[node] [--full] [--fresh] [--others] [--model]',
    summary: 'what a model would be sent from here',
  },
  load: async () => (await import('../../commands/context.js')).contextCommand,
});

export const permissionsCommand = cliCommand({
  ...{ before: AT, completes: null, bound: FIRST },
  ...{
    name: 'permissions',
    usage: '[number] [--forget]',
    summary: 'what you have permitted here at level ask; take one back, or all',
  },
  load: async () => (await import('../../commands/permissions.js')).permissionsCommand,
});

export const jobsCommand = cliCommand({
  ...{ before: AT, completes: null, bound: END },
  ...{
    name: 'jobs',
    usage: '[name] [--stop]',
    summary: 'what the model runs in the background; what one has printed; end one, or all',
  },
  load: async () => (await import('../../commands/jobs.js')).jobsCommand,
});

export const exportCommand = cliCommand({
  ...{ before: AT, completes: 'node', bound: { lines: ALL_LINES_MAX, keeps: 'first' } },
  ...{
    name: 'export',
    usage: '[node] [--format format] [--output file] [--force] [--all]',
    summary: 'write the branch, or all of the tree: on the screen, or into a file',
  },
  load: async () => (await import('../../commands/export.js')).exportCommand,
});

const compare = cliCommand({
  ...{ before: AT, completes: 'node', bound: FIRST },
  ...{
    name: 'compare',
    usage: '<node> <node> [--patch]',
    summary: 'what two branches do not share: nodes, files, cost; numbers of the last list, or of lanes, too',
  },
  load: async () => (await import('../../commands/compare.js')).compareCommand,
});

export const compareCommand: ReplCommand = {
  ...compare,
  run: (argument, repl) =>
    compare.run(
      argument.replace(/(?<=^|\s)\d{1,3}(?=\s|$)/g, (number) => repl.listed?.nodes[Number(number) - 1] ?? number),
      repl,
    ),
};

export const markCommand = cliCommand({
  ...{ before: AT, completes: null, bound: FIRST },
  ...{
    name: 'mark',
    usage: '[name] [node] [--remove]',
    summary: 'name a place, to go there with /goto; without a name: list the names',
  },
  load: async () => (await import('../../commands/mark.js')).markCommand,
});

export const costCommand = cliCommand({
  ...{ before: AT, completes: 'node', bound: FIRST },
  ...{
    name: 'cost',
    usage: '[node] [--by part] [--since time]',
    summary: 'what was asked of models, and what it cost',
  },
  load: async () => (await import('../../commands/cost.js')).costCommand,
});

const list = cliCommand({
  ...{ before: [], completes: null, bound: FIRST },
  ...{
    name: 'list',
    usage: '[--archived] [--here] [--of tree]',
    summary: 'choose a conversation; with an option, or without a screen: list them',
  },
  load: async () => (await import('../../commands/list.js')).listCommand,
});

export const listCommand: ReplCommand = {
  ...list,
  async run(argument, repl) {
    if (argument === '' && repl.front.chooseConversation()) return;
    await list.run(argument, repl);
  },
};

const log = cliCommand({
  ...{ before: AT, completes: null, bound: LAST },
  ...{ name: 'log', usage: '[--jsonl]', summary: 'all that happened in the tree, in order' },
  load: async () => (await import('../../commands/log.js')).logCommand,
});

export const logCommand: ReplCommand = {
  ...log,
  async run(argument, repl) {
    if (/(^|\s)(-f|--follow)\b/.test(argument)) {
      const tree = shortId(repl.conversation().place.tree);
      throw new HubError('invalid_params', 'what happens is shown here as it happens: there is nothing to follow', {
        hint: `in another terminal: cognition log ${tree} -f`,
      });
    }
    await log.run(argument, repl);
  },
};

const gitLabel = { name: 'git', usage: '[status|undo|take] [branch]' };

export const gitCommand: ReplCommand = {
  ...{ ...gitLabel, completes: null },
  summary: 'what models have committed in this project; undo the last take over, take what is kept',
  async run(argument, repl) {
    const [part = 'status', ...words] = wordsOf(argument);
    const { commands } = (await import('../../commands/git.js')).gitGroup;
    const command = commands.find(({ name }) => name === part);
    if (command === undefined) {
      throw new HubError('invalid_params', `/git takes status, undo or take, not "${part}"`, {
        hint: `/git ${gitLabel.usage}`,
      });
    }
    await runCliCommand(command, { words, label: gitLabel, bound: FIRST }, repl);
  },
};
