import { detach, neverFails } from '../../../hub/base/detach.js';
import type { Client } from '../../../hub/client/client.js';
import type { NodeId, TreeId, TurnId } from '../../../hub/protocol/node.js';
import type { Context } from '../../command_line/command_context.js';
import { reasonOf } from '../../output/failure.js';
import { turnIfThere } from '../../position/position.js';
import { rootOf } from '../../position/reference.js';
import { shortId } from '../../render/text/ids_and_counts.js';
import type { Front } from '../front/front.js';
import { createChatDisplay } from './chat_display.js';
import type { ChatTurnOptions } from './chat_turn_options.js';
import type { ConversationParts } from './conversation_parts.js';
import type { Verdict } from './exit_code.js';
import { createTurns, type OwnTurns } from './own_turns.js';
import { createPlace, type ReplPosition } from './repl_position.js';
import { createFeed, type TreeFeed } from './tree_feed.js';

/** One open conversation. */
export interface Conversation {
  parts: ConversationParts;
  place: ReplPosition;
  turns: OwnTurns;
  turnOptions: ChatTurnOptions;
  /** Makes the tree when nothing has been written to it yet, and listens to it from then on. */
  ensure(): Promise<void>;
  /** Listens again after listening has failed. */
  listen(): void;
  /** Comes along with a turn that runs where the person stands. */
  join(turn: TurnId): void;
  /** Before one writes: a turn of somebody else that is on display goes on elsewhere then. */
  stepAside(): void;
  /** False while there is nothing to come back to. */
  isMade(): boolean;
  close(): Promise<void>;
}

/** What is known of a conversation that is opened. */
export interface Opened {
  tree: TreeId;
  /** Null for a tree that is to be. */
  known: { position: NodeId; following: TurnId | null; seq: number } | null;
}

export interface ConversationOptions {
  /** As it is outside: its session writes the file. */
  context: Context;
  /** As commands see it from inside. */
  own: Context;
  client: Client;
  front: Front;
  turnOptions: ChatTurnOptions;
  verdict: Verdict;
}

const NO_TOKENS = { input: 0, cached: 0, output: 0 };

export function openConversation(options: ConversationOptions, { tree, known }: Opened): Conversation {
  const { context, own, client, front, turnOptions } = options;
  const { position, following } = known ?? { position: rootOf(tree), following: null };
  const display = createChatDisplay(front, position);
  let isLeft = false;
  const showMove = (tip: NodeId): void => {
    detach(display.take({ kind: 'moved', tip }), neverFails);
    detach(front.show({ kind: 'left' }), neverFails);
  };
  const place = createPlace({
    ...{ session: context.session, tree, position, following },
    onGo(node) {
      feed.leave(node);
      showMove(node);
      turns.part();
    },
    onMoved(node) {
      // A turn may go on in a conversation that is not open any more.
      if (!isLeft) front.update({ position: shortId(node) });
    },
    onFailed: noteOnce(front),
  });
  const parts: ConversationParts = {
    ...{ context: own, client, front, place, display },
    ...{ ours: new Set(), toldFiles: new Set(), shownQuestions: new Set() },
  };
  const turns = createTurns(parts, turnOptions, options.verdict);
  const feed: TreeFeed = createFeed(parts, turns);
  const making = createMaking(options, { place, feed, seq: known?.seq ?? null });
  front.update({
    ...{ tree, name: shortId(tree), position: shortId(position), turn: null, queued: [] },
    ...{ network: turnOptions.grants.network, unsandboxed: turnOptions.grants.unsandboxed },
    tokens: { turn: NO_TOKENS, total: NO_TOKENS },
  });
  return {
    ...{ parts, place, turns, turnOptions, isMade: making.isMade },
    async ensure() {
      await making.ensure();
      await catchUp(parts, turns.current());
    },
    listen() {
      if (making.isMade()) feed.listen(known?.seq ?? 0);
    },
    join(turn) {
      place.advance(place.position(), turn);
      turns.join(turn);
      feed.catchUp();
    },
    stepAside() {
      if (display.state().tip === place.position() || !feed.leaveOthers()) return;
      showMove(place.position());
    },
    async close() {
      isLeft = true;
      detach(front.show({ kind: 'left' }), neverFails);
      turns.leave();
      feed.close();
      await place.saved();
    },
  };
}

function noteOnce(front: Front): (error: unknown) => void {
  let isTold = false;
  return (error) => {
    if (isTold) return;
    isTold = true;
    const text = `(where you stand could not be saved: ${reasonOf(error)})`;
    detach(front.show({ kind: 'note', text }), neverFails);
  };
}

interface Making {
  isMade(): boolean;
  ensure(): Promise<void>;
}

/** A tree is made when something is written to it first: who opens a chat and leaves it again leaves nothing behind. */
function createMaking(
  { client, context }: ConversationOptions,
  { place, feed, seq }: { place: ReplPosition; feed: TreeFeed; seq: number | null },
): Making {
  let making: Promise<void> | null = seq === null ? null : Promise.resolve();
  const make = async (): Promise<void> => {
    const made = await client.call('loom.tree_create', { id: place.tree, project: context.project });
    feed.listen(made.last_seq);
    await context.session.use(place.tree);
  };
  return {
    isMade: () => making !== null,
    async ensure() {
      making ??= make();
      try {
        await making;
      } catch (error) {
        making = null;
        throw error;
      }
      feed.listen(seq ?? 0);
    },
  };
}

/** What a turn has just committed may not have been told yet. */
async function catchUp({ client, place }: ConversationParts, turn: TurnId | null): Promise<void> {
  if (turn === null) return;
  const found = await turnIfThere(client, turn);
  if (found !== null && place.following() === turn) place.advance(found.tip, turn);
}
