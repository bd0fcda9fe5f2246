import { detach, neverFails } from '../../../hub/base/detach.js';
import type { Client } from '../../../hub/client/client.js';
import type { NodeId, TreeId, TurnId } from '../../../hub/protocol/node.js';
import type { Context } from '../../command_line/command_context.js';
import { reasonOf } from '../../output/failure.js';
import { turnIfThere } from '../../position/position.js';
import { rootOf } from '../../position/reference.js';
import { shortId } from '../../render/text/ids_and_counts.js';
import { giveKey } from '../../turn/key_command.js';
import type { Front } from '../front/front.js';
import { createChatDisplay } from './chat_display.js';
import { type ChatTurnOptions, commandKeys } from './chat_turn_options.js';
import type { ConversationParts } from './conversation_parts.js';
import type { Verdict } from './exit_code.js';
import { createTurns, type OwnTurns } from './own_turns.js';
import { createPlace, type ReplPosition } from './repl_position.js';
import { NO_TOKENS } from './token_totals.js';
import { createFeed, type TreeFeed } from './tree_feed.js';

/** One open conversation. */
export interface Conversation {
  parts: ConversationParts;
  place: ReplPosition;
  turns: OwnTurns;
  turnOptions: ChatTurnOptions;
  /** Creates the tree on first use and subscribes to it. */
  ensure(): Promise<void>;
  /** Subscribes again after a failure. */
  listen(): void;
  /** Follows a turn that runs at the position; one of another hub to where that has come. */
  join(turn: TurnId, atHub?: { tip: NodeId; by: string }): void;
  /** Which turns are on display. */
  feed: Pick<TreeFeed, 'isWatched' | 'hasTurnsAtHubs'>;
  /** Called before writing: removes others' turns from the display. */
  stepAside(): void;
  /** False before the tree exists. */
  isMade(): boolean;
  close(): Promise<void>;
}

/** The parameters of opening a conversation. */
export interface Opened {
  tree: TreeId;
  /** Null for a new tree. */
  known: { position: NodeId; following: TurnId | null; seq: number } | null;
}

export interface ConversationOptions {
  /** The outer command context, whose session writes the file. */
  context: Context;
  /** As commands see it from inside. */
  own: Context;
  client: Client;
  front: Front;
  turnOptions: ChatTurnOptions;
  verdict: Verdict;
}

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
      // A turn may outlive the open conversation.
      if (!isLeft) front.update({ position: shortId(node), isCarriedOn: false });
    },
    onFailed: noteOnce(front),
  });
  const parts: ConversationParts = {
    ...{ context: own, client, front, place, display },
    ...nothingShown(),
  };
  const turns = createTurns(parts, turnOptions, options.verdict);
  const feed: TreeFeed = createFeed(parts, givingKeys(parts, turns, turnOptions));
  const making = createMaking(options, { place, feed, seq: known?.seq ?? null });
  front.update({
    ...{ tree, name: shortId(tree), position: shortId(position), isCarriedOn: false, turn: null, queued: [] },
    ...{ network: turnOptions.grants.network, unsandboxed: turnOptions.grants.unsandboxed },
    ...{ tokens: NO_TOKENS, totalTokens: NO_TOKENS, cost: null },
  });
  return {
    ...{ parts, place, turns, turnOptions, feed, isMade: making.isMade },
    async ensure() {
      await making.ensure();
      await catchUp(parts, turns.current());
    },
    listen() {
      if (making.isMade()) feed.listen(known?.seq ?? 0);
    },
    join(turn, atHub) {
      place.advance(atHub?.tip ?? place.position(), turn);
      turns.join(turn, atHub?.by ?? null);
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

type Shown = Pick<ConversationParts, 'ours' | 'beside' | 'toldFiles' | 'toldModelless' | 'shownQuestions'>;

function nothingShown(): Shown {
  const told = { toldFiles: new Set<string>(), toldModelless: new Set<string>() };
  return { ours: new Set(), beside: new Set(), shownQuestions: new Set(), ...told };
}

/** The same turns, which also get the keys that their sub-sessions want. */
function givingKeys(parts: ConversationParts, turns: OwnTurns, options: ChatTurnOptions): OwnTurns {
  return {
    ...turns,
    take(event) {
      if (event.kind === 'key_wanted' && event.turn === turns.current()) {
        detach(giveKey(commandKeys(parts, options), parts.client, event), () => undefined);
      }
      turns.take(event);
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

/** The tree is created with its first node, so that an unused chat leaves nothing behind. */
function createMaking(
  { client, context }: ConversationOptions,
  { place, feed, seq }: { place: ReplPosition; feed: TreeFeed; seq: number | null },
): Making {
  let making: Promise<void> | null = seq === null ? null : Promise.resolve();
  const make = async (): Promise<void> => {
    const made = await client.call('loom.tree_create', { id: place.tree, project: context.project });
    feed.listen(made.last_seq);
    await context.session.use(place.tree, context.project);
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

/** Nodes that a turn just committed may not have arrived yet. */
async function catchUp({ client, place }: ConversationParts, turn: TurnId | null): Promise<void> {
  if (turn === null) return;
  const found = await turnIfThere(client, turn);
  if (found !== null && place.following() === turn) place.advance(found.tip, turn);
}
