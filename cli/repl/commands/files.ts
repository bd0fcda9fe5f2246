import { HubError } from '../../../hub/base/error.js';
import type { Bound } from '../cli_commands/bounded_output.js';
import { runCliCommand } from '../cli_commands/cli_command.js';
import type { ReplCommand } from '../repl.js';
import { answerFiles, filesWordIn, goWithFiles } from '../tree/go_with_files.js';
import { wordsOf } from '../tree/split_words.js';

const BOUND: Bound = { lines: 400, keeps: 'first' };
const label = { name: 'files', usage: '[status | here | diff | restore | undo | copies] [node]' };

/** Answers to what was asked before a move. */
const ANSWERS = ['carry', 'leave', 'take', 'keep', 'stay'];

export const filesCommand: ReplCommand = {
  ...{ ...label, completes: 'node' },
  summary: 'the files recorded for each node: what changed, bring those of here, bring them back, take that back',
  async run(argument, repl) {
    const [part = 'status', ...words] = wordsOf(argument);
    if (ANSWERS.includes(part)) {
      if (await answerFiles(repl, part)) return;
      throw new HubError('not_found', `nothing is asked that "${part}" would answer`, {
        hint: `/files ${label.usage}`,
      });
    }
    if (part === 'here') {
      await repl.conversation().ensure();
      const node = repl.conversation().place.position();
      return goWithFiles(repl, { node, word: filesWordIn(argument).word ?? 'ask', go: () => undefined });
    }
    const { commands } = (await import('../../commands/files.js')).filesGroup;
    const command = commands.find(({ name }) => name === part);
    if (command === undefined) {
      throw new HubError('invalid_params', `/files takes status, here, diff, restore, undo or copies, not "${part}"`, {
        hint: `/files ${label.usage}`,
      });
    }
    await runCliCommand(command, { words, label, bound: BOUND }, repl);
  },
};

export const diffCommand: ReplCommand = {
  ...{ name: 'diff', usage: '[node] [--patch]', completes: 'node' },
  summary: 'what this conversation has changed in the files, from its beginning or a node to where you are',
  async run(argument, repl) {
    const words = wordsOf(argument);
    const nodes = words.filter((word) => !word.startsWith('--'));
    const flags = words.filter((word) => word.startsWith('--'));
    await repl.conversation().ensure();
    const { filesDiffCommand } = await import('../../commands/files/files_diff.js');
    const all = [...(nodes.length === 0 ? ['root'] : nodes), '@', ...flags];
    await runCliCommand(filesDiffCommand, { words: all, label: diffCommand, bound: BOUND }, repl);
  },
};
