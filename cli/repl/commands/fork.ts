import type { Client } from '../../../hub/client/client.js';
import type { Node, NodeId } from '../../../hub/protocol/node.js';
import { forkTree } from '../../position/fork_tree.js';
import { isSilent } from '../../render/node/node_text.js';
import { formatAge } from '../../render/text/age.js';
import { count, formatNumber, shortId } from '../../render/text/ids_and_counts.js';
import type { Repl, ReplCommand } from '../repl.js';
import { lastQuestion } from '../tree/ancestors.js';
import { nodeNamed, showLastExchange } from '../tree/go_to.js';
import { FILES_WORDS, filesWordIn, goWithFiles } from '../tree/go_with_files.js';
import { quotedWords } from '../tree/node_words.js';
import { branchFrom } from './branches.js';

const CHILDREN_MAX = 1_000;
const TREE_WORD = /(?:^|\s)--tree(?=\s|$)/;
const OWN_WORD = /(?:^|\s)--own(?=\s|$)/;

export const forkCommand: ReplCommand = {
  name: 'fork',
  usage: '[node] [--own] [--tree]',
  summary:
    'say something else instead: your next message becomes a branch; --own: one that works in a copy of the project; --tree makes this one a conversation of its own',
  completes: 'node',
  details: async () => [
    ['--own', 'the branch works in a folder of its own; /take 1 brings what it has made into yours'],
    ['--tree', 'copy the path to here, or to the node, into a new conversation, and go there'],
    ...FILES_WORDS,
  ],
  async run(argument, repl) {
    if (TREE_WORD.test(argument)) return forkIntoTree(repl, argument.replace(TREE_WORD, '').trim());
    const isOwn = OWN_WORD.test(argument);
    const { rest, word } = filesWordIn(argument.replace(OWN_WORD, ' '));
    const here = repl.conversation();
    const { place, turns } = here;
    await here.ensure();
    const isLeaving = turns.current() !== null;
    const node = rest === '' ? await forkPoint(repl) : await nodeNamed(repl, rest);
    const from = place.position();
    const go = async (): Promise<void> => {
      place.go(node, isOwn ? 'own' : 'here');
      await tellNext(repl);
      if (isOwn) await repl.front.show({ kind: 'note', text: OWN_NOTE });
      if (node !== from) await showLastExchange(here);
      if (isLeaving) await repl.front.show({ kind: 'note', text: '(the turn goes on without you)' });
    };
    // The files of the project stay: the branch does not work with them.
    if (isOwn) return go();
    await goWithFiles(repl, { node, word, go });
  },
};

const OWN_NOTE = '(it works in a copy of the project, and so does what follows; /take 1 brings what it has made here)';

/** Makes the branch a conversation of its own, and opens that. */
async function forkIntoTree(repl: Repl, reference: string): Promise<void> {
  const here = repl.conversation();
  await here.ensure();
  const node = reference === '' ? here.place.position() : await nodeNamed(repl, reference);
  const isLeaving = here.turns.current() !== null;
  const { tree } = await forkTree(repl.context, { tree: here.place.tree, node, name: null });
  if (isLeaving) await repl.front.show({ kind: 'note', text: '(the turn goes on without you)' });
  await repl.open(tree.id);
  await repl.front.show({
    kind: 'note',
    text: `(this is ${shortId(tree.id)}, a conversation of its own; back to the other one: /use ${shortId(here.place.tree)})`,
  });
}

/** At an end one goes to just before the last question; elsewhere one stays. */
async function forkPoint(repl: Repl): Promise<NodeId> {
  const { place, parts } = repl.conversation();
  const { client } = parts;
  const position = place.position();
  const { child_count: children } = await client.call('loom.node_get', { node: position });
  const question = children > 0 ? null : await lastQuestion(client, { id: place.tree }, position);
  return question?.parent ?? position;
}

/** What the next message is an alternative to. */
async function tellNext(repl: Repl): Promise<void> {
  const { conversation, context, client, front } = repl;
  const tell = (text: string) => front.show({ kind: 'text', text: `Created branch at current position.\n${text}\n` });
  const { children } = await client.call('loom.node_get_children', {
    node: conversation().place.position(),
    limit: CHILDREN_MAX,
  });
  const newest = children.at(-1);
  if (newest === undefined) return tell('Nothing has grown from here yet: your next message is the first.');
  const node = await firstThatSpeaks(client, newest.id);
  await tell(`Your next message is an alternative to ${await quotedWords(context, node)}.`);
  // A single one has just been seen: which of several it is wants more than its words.
  const branch = children.length === 1 ? null : await branchFrom(repl, node.seq);
  if (branch === null) return;
  const { nowMs } = await context.look([]);
  const size = `${count(branch.nodes, 'node')}, ${formatAge(branch.newestAtMs, nowMs)}`;
  const others = `all ${formatNumber(children.length)}: /branches`;
  await front.show({ kind: 'note', text: `(that branch is ${shortId(branch.id)}, ${size}; ${others})` });
}

/** The first node of a branch that says something: of an answer that only calls tools the calls do. */
async function firstThatSpeaks(client: Client, branch: NodeId): Promise<Node> {
  const { node } = await client.call('loom.node_get', { node: branch });
  if (!isSilent(node)) return node;
  const { children } = await client.call('loom.node_get_children', { node: branch, limit: 1 });
  const [call] = children;
  return call === undefined ? node : (await client.call('loom.node_get', { node: call.id })).node;
}
