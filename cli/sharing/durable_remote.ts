import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import type { NodeId, TreeId } from '../../hub/protocol/node.js';
import type { Context } from '../command_line/command_context.js';
import { cleanLine } from '../render/text/clean.js';
import { shortId } from '../render/text/ids_and_counts.js';

/** The option of commands that add something: until where it is to stand when they end. */
export const DURABLE = {
  name: 'durable',
  value: 'remote',
  choices: null,
  description: 'end only when it stands at the remotes, too: remote, or remote:<seconds> to wait so long instead of 30',
} as const;

const SECONDS_USUAL = 30;
const SECONDS_MAX = 600;

/** Waits, where `--durable remote` was said, until a node stands at the remotes. */
export type AwaitRemotes = (node: NodeId) => Promise<void>;

/** Reads `--durable`; refused for a conversation that is not shared, before anything is added. Null stands for a new one. */
export async function readDurable(
  context: Context,
  given: string | undefined,
  tree: TreeId | null,
): Promise<AwaitRemotes> {
  if (given === undefined) return async () => undefined;
  const timeout_ms = 1_000 * secondsIn(given);
  const client = await context.client();
  const { shares } = await client.call('sharing.list', {});
  if (tree === null || !shares.some((share) => share.tree.id === tree)) throw notShared(tree);
  return async (node) => {
    const { remotes } = await client.call('sharing.wait', { tree, node, timeout_ms });
    context.note(`It is at ${cleanLine(remotes.join(', '))}.`);
  };
}

function secondsIn(given: string): number {
  const [, seconds] = /^remote(?::(\d{1,3}))?$/.exec(given) ?? [null, '0'];
  const number = seconds === undefined ? SECONDS_USUAL : Number(seconds);
  if (number >= 1 && number <= SECONDS_MAX) return number;
  throw new HubError(
    'invalid_params',
    `--durable takes remote, or remote:<seconds> up to ${SECONDS_MAX}, not ${given}`,
    {
      hint: 'what is added is stored here in any case',
    },
  );
}

function notShared(tree: TreeId | null): HubError {
  const what = tree === null ? 'a new conversation' : shortId(tree);
  return new HubError('invalid_params', `--durable remote: ${what} is not shared, so there is no remote to wait for`, {
    hint: ['share it first: ', cliCommand('share', tree === null ? '<conversation>' : shortId(tree))],
  });
}
