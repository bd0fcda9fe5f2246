import { HubError } from '../../../hub/base/error.js';
import type { NodeId, TurnId } from '../../../hub/protocol/node.js';
import { shortId } from '../../render/text/ids_and_counts.js';
import type { Repl, ReplCommand } from '../repl.js';
import { lastQuestion } from '../tree/ancestors.js';
import { FILES_WORDS, filesWordIn, goWithFiles } from '../tree/go_with_files.js';
import { modelHere } from './model_and_level.js';

const TURNS_MAX = 200;

export const retryCommand: ReplCommand = {
  name: 'retry',
  usage: '[--keep-files]',
  summary: 'finish what was interrupted; else let the model answer the last message once more',
  completes: null,
  details: async () => FILES_WORDS,
  async run(argument, repl) {
    const { rest, word } = filesWordIn(argument);
    if (rest !== '') {
      throw new HubError('invalid_params', `/retry takes an option or nothing, not ${JSON.stringify(rest)}`, {
        hint: '/retry, or /retry --keep-files',
      });
    }
    const { turns, parts } = repl.conversation();
    const running = turns.current();
    if (running !== null) {
      if (await isRunning(repl, running))
        throw new HubError('conflict', 'a turn is running', { hint: 'end it first with /stop' });
      // It has ended with its hub, which is told first.
      await turns.idle();
    }
    const node = await whereToAsk(repl);
    if (node === null) {
      throw new HubError('not_found', 'nothing has been said here that could be answered', { hint: 'say something' });
    }
    const from = parts.place.position();
    // Checked before moving: without a model nothing must change.
    await modelHere(repl);
    if (node === from) return turns.begin(node);
    const go = async (): Promise<void> => {
      parts.place.go(node);
      const text = `(another answer to the same message: a branch beside the one that ends at ${shortId(from)})`;
      await parts.front.show({ kind: 'note', text });
    };
    await goWithFiles(repl, { node, word, go, settled: () => turns.begin(node) });
  },
};

/** Whether the hub, which is waited for while it is away, has a turn running or will have it. */
async function isRunning({ client, conversation }: Repl, id: TurnId): Promise<boolean> {
  const { turns } = await client.call('loom.turn_list', { tree: conversation().place.tree, limit: TURNS_MAX });
  const turn = turns.find((one) => one.id === id);
  return turn === undefined || turn.state === 'running' || turn.state === 'waiting';
}

/** A complete answer is requested again, from its question; anything else is continued. */
async function whereToAsk({ conversation, client }: Repl): Promise<NodeId | null> {
  const here = conversation();
  await here.ensure();
  const { place } = here;
  const position = place.position();
  const { node } = await client.call('loom.node_get', { node: position });
  if (node.role === 'root') return null;
  if (node.role !== 'assistant' || (await wasCutShort(here, position))) return position;
  return (await lastQuestion(client, { id: place.tree }, position))?.id ?? null;
}

async function wasCutShort({ place, parts }: ReturnType<Repl['conversation']>, position: NodeId): Promise<boolean> {
  const { turns } = await parts.client.call('loom.turn_list', { tree: place.tree, limit: TURNS_MAX });
  const turn = turns.find(({ tip }) => tip === position);
  return turn !== undefined && turn.state !== 'done';
}
