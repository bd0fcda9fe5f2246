import { settledNode } from '../../position.js';
import { findNode } from '../../reference.js';
import { quotedWords } from '../moves.js';
import type { Repl, ReplCommand } from '../repl.js';
import { lastQuestion } from '../walk.js';

export const forkCommand: ReplCommand = {
  name: 'fork',
  usage: '[node]',
  summary: 'say something else instead: your next message becomes a branch',
  completes: 'node',
  async run(given, repl) {
    const here = repl.conversation();
    const { place, stage } = here;
    await here.ensure();
    const tree = { id: place.tree };
    if (given !== '')
      place.go(await settledNode(repl.context, tree, await findNode(repl.context, tree.id, given)), true);
    else await forkHere(repl);
    await stage.front.show({ kind: 'text', text: `Created branch at current position.\n${await nextWords(repl)}\n` });
  },
};

/** At an end one goes to just before the last question; elsewhere one stays. */
async function forkHere(repl: Repl): Promise<void> {
  const { place, stage } = repl.conversation();
  const { client } = stage;
  const position = place.position();
  const { child_count: children } = await client.call('loom.node_get', { node: position });
  const question = children > 0 ? null : await lastQuestion(client, { id: place.tree }, position);
  place.go(question?.parent ?? position, true);
}

/** What the next message is an alternative to. */
async function nextWords({ conversation, context }: Repl): Promise<string> {
  const { place, stage } = conversation();
  const { client } = stage;
  const { children } = await client.call('loom.node_get_children', { node: place.position(), limit: 1_000 });
  const newest = children.at(-1);
  if (newest === undefined) return 'Nothing has grown from here yet: your next message is the first.';
  const { node } = await client.call('loom.node_get', { node: newest.id });
  return `Your next message is an alternative to ${await quotedWords(context, node)}.`;
}
