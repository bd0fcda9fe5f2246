import { detach } from '../../../hub/base/detach.js';
import { HubError } from '../../../hub/base/error.js';
import { textOf } from '../../../hub/base/node_blocks.js';
import type { NodeId, TreeId } from '../../../hub/protocol/node.js';
import { laneTips } from '../../race/board.js';
import { refuseUnrecorded } from '../../race/start_race.js';
import type { Bound } from '../cli_commands/bounded_output.js';
import { runCliCommand } from '../cli_commands/cli_command.js';
import { failureOn } from '../conversation/conversation_parts.js';
import type { Repl, ReplCommand } from '../repl.js';
import { nodeNamed } from '../tree/go_to.js';
import { wordsOf } from '../tree/split_words.js';

const BOUND: Bound = { lines: 400, keeps: 'first' };
const OPTION = /(?:^|\s)--/;

export const raceCommand: ReplCommand = {
  ...{ name: 'race', usage: '[message] [--with models] [--check command] [--stop lane]', completes: null },
  summary: 'let several models answer at once, each in a copy of the project; alone: how the race stands',
  async run(argument, repl) {
    const { raceCommand: command } = await import('../../commands/race.js');
    const start = OPTION.exec(argument)?.index ?? argument.length;
    const message = argument.slice(0, start).trim();
    const options = wordsOf(argument.slice(start));
    if (message === '') {
      await repl.conversation().ensure();
      await runCliCommand(command, { words: ['@', ...options], label: raceCommand, bound: BOUND }, repl);
      return listLanes(repl, repl.conversation().place.tree);
    }
    if (!options.some((word) => word.startsWith('--with'))) {
      throw new HubError('invalid_params', '/race takes who races', { hint: `/race ${message} --with sonnet×2,gpt` });
    }
    // A race that is refused for its folder makes no conversation.
    if (!repl.conversation().isMade()) await refuseUnrecorded(repl.client, repl.context.project);
    await repl.conversation().ensure();
    // The chat goes on meanwhile.
    const [said = message] = /^["']/.test(message) ? wordsOf(message) : [];
    const { tree } = repl.conversation().place;
    const call = { words: ['@', said, ...options], label: raceCommand, bound: null };
    const racing = runCliCommand(command, call, repl).then(() => listLanes(repl, tree));
    detach(racing, failureOn(repl.front));
  },
};

/** The lanes of a conversation by the numbers of the board, for /switch and /compare; of one that was left meanwhile nothing. */
async function listLanes(repl: Repl, tree: TreeId): Promise<void> {
  const nodes = await laneTips(repl.client, tree);
  if (repl.conversation().place.tree === tree) repl.listed = { kind: 'leaves', nodes };
}

export const takeCommand: ReplCommand = {
  ...{ name: 'take', usage: '<lane or node> [path…] [--theirs paths]', completes: 'node' },
  summary: 'take the files of a lane of the race, or of another branch, into your folder; /files undo takes that back',
  async run(argument, repl) {
    const words = wordsOf(argument);
    const [first = '', ...rest] = words.filter((word, at) => !word.startsWith('--') && words[at - 1] !== '--theirs');
    const options = words.filter((word, at) => word.startsWith('--') || words[at - 1] === '--theirs');
    await repl.conversation().ensure();
    if (/^\d{1,2}$/.test(first) && rest.length === 0) {
      const { pickCommand } = await import('../../commands/pick.js');
      return runCliCommand(pickCommand, { words: [first, '@', ...options], label: takeCommand, bound: BOUND }, repl);
    }
    const { takeCommand: command } = await import('../../commands/take.js');
    const paths = rest.length === 0 ? [] : [rest.join(',')];
    const all = first === '' ? [] : [await nodeNamed(repl, first), ...paths];
    await runCliCommand(command, { words: [...all, ...options], label: takeCommand, bound: BOUND }, repl);
  },
};

export const mergeCommand: ReplCommand = {
  ...{ name: 'merge', usage: '<node> [text] [--summary]', completes: 'node' },
  summary: 'bring what another branch has found here, as a message with its files; you change the text before',
  async run(argument, repl) {
    const [, name = '', said = ''] = /^(\S*)\s*(.*)$/s.exec(argument) ?? [];
    await repl.conversation().ensure();
    const { mergeCommand: command } = await import('../../commands/merge.js');
    if (name === '') return runCliCommand(command, { words: [], label: mergeCommand, bound: BOUND }, repl);
    const node = await nodeNamed(repl, name);
    const isSummary = said === '--summary';
    const text = isSummary ? '' : said;
    if (text === '' && repl.front.attended) return previewMerge(repl, { name, node, isSummary });
    const words = [node, ...(text === '' ? [] : [text]), ...(isSummary ? ['--summary'] : [])];
    await runCliCommand(command, { words, label: mergeCommand, bound: BOUND }, repl);
  },
};

/** Puts the answer of a branch, or what the model makes of it, where messages are written. */
async function previewMerge(
  { client, context, front, conversation }: Repl,
  { name, node, isSummary }: { name: string; node: NodeId; isSummary: boolean },
): Promise<void> {
  const { place } = conversation();
  const { readBranchSource } = await import('../../race/branch_source.js');
  const { answer, tip, since } = await readBranchSource(client, { from: node, here: place.position() });
  const { branchSummary } = await import('../../race/branch_summary.js');
  if (isSummary) await front.show({ kind: 'note', text: '(the branch is being summarised)' });
  const branch = { tree: place.tree, from: tip.id, since: since.id };
  const text = isSummary ? await branchSummary(context, branch) : textOf(answer?.blocks ?? []);
  await front.show({
    kind: 'note',
    text: '(change the text as you like, in your own editor with Ctrl-G: Enter brings it here, with the files)',
  });
  await front.giveBack(`/merge ${name} ${text}`);
}
