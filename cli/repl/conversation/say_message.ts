import { HubError } from '../../../hub/base/error.js';
import type { Client } from '../../../hub/client/client.js';
import { checkedMessage } from '../../input/message.js';
import { namedImages } from '../../input/named_images.js';
import { EXIT, exitCodeOf } from '../../output/failure.js';
import { newNodeId } from '../../position/ids.js';
import { reachOf } from './chat_turn_options.js';
import type { Conversation } from './conversation.js';
import { showFailure } from './conversation_parts.js';
import type { Verdict } from './exit_code.js';
import { hintInChat } from './hint_in_chat.js';
import { answered } from './open_question.js';
import type { TypedMessage } from './typed_message.js';

/** Says things in a conversation: a message, which a model answers when there is one. */
export interface Speaking {
  say(text: string, when: 'now' | 'after'): Promise<void>;
}

export function createSpeaking(conversation: () => Conversation, verdict: Verdict): Speaking {
  const isAnswered = createAnswerable();

  async function say(text: string, when: 'now' | 'after'): Promise<void> {
    const { turns, parts } = conversation();
    const { front } = parts;
    try {
      const said = await saidBlocks(checkedMessage(text), parts.client);
      if (turns.current() !== null) {
        if (await turns.steer(said, when === 'now' ? 'steer' : 'after')) return;
      }
      switch (await answered(conversation(), text)) {
        case 'nothing_asked':
          return await sayHere(conversation(), said);
        case 'permission_asked':
          return verdict.failed(EXIT.approval);
        case 'answered':
          return;
      }
    } catch (error) {
      verdict.failed(exitCodeOf(error));
      await front.giveBack(text);
      await showFailure(front, error);
    }
  }

  /** Adds a message where the person stands. */
  async function sayHere(here: Conversation, { blocks }: TypedMessage): Promise<void> {
    const { parts, place, turns } = here;
    const { client, front, ours } = parts;
    await here.ensure();
    const parent = place.position();
    const isAnnounced = place.isForked();
    // Known before: what we say ourselves comes to the display meanwhile.
    const isShared = parts.display.state().tip !== parent;
    here.stepAside();
    const id = newNodeId();
    ours.add(id);
    const message = { id, tree: place.tree, parent, role: 'user' as const, blocks };
    const checked = isAnswered(here).then(
      (answerable) => ({ ...answerable, failure: null }),
      (failure: unknown) => ({ answer: false, note: null, failure }),
    );
    const { branched } = await client.call('loom.node_create_text', message).catch((error: unknown) => {
      ours.delete(id);
      throw error;
    });
    if (branched && !isAnnounced) await front.show({ kind: 'note', text: branchWords(isShared) });
    const { answer, note, failure } = await checked;
    // Not before: it stands below what was said.
    if (note !== null) await front.show({ kind: 'note', text: note });
    if (answer) turns.begin(id);
    else place.advance(id, null);
    if (failure === null) return;
    // It is kept, so it must not come back to be said twice.
    verdict.failed(exitCodeOf(failure));
    await showFailure(front, failure, 'then: /retry');
  }

  return { say };
}

interface Answerable {
  answer: boolean;
  /** Why not, where that has not been said yet. */
  note: string | null;
}

/** Finds out whether a model can be asked here; otherwise messages are notes, which is said once for each reason. */
function createAnswerable(): (here: Conversation) => Promise<Answerable> {
  let lastReason = '';
  return async ({ parts, place, turnOptions }) => {
    try {
      await parts.client.call('agent.check', { node: place.position(), ...reachOf(turnOptions) });
      return { answer: true, note: null };
    } catch (error) {
      if (!(error instanceof HubError) || !MODELLESS.has(error.kind)) throw error;
      // Then nothing can be added either, and that says why.
      const { kind, message, hint } = error;
      if (kind === 'not_found' || message === lastReason) return { answer: false, note: null };
      lastReason = message;
      return {
        answer: false,
        note: `(${message}: messages are kept as notes)\nhint: ${hintInChat(hint ?? 'choose a model with: /model')}`,
      };
    }
  };
}

/** What says that no model can be asked, rather than that asking itself failed. */
const MODELLESS: ReadonlySet<string> = new Set(['no_key', 'invalid_params', 'rejected', 'not_found']);

/** The images that a message names with `@`, then its text. */
async function saidBlocks(text: string, client: Client): Promise<TypedMessage> {
  return { text, blocks: [...(await namedImages(text, client)), { type: 'text', text }] };
}

/** Whoever writes where somebody else has gone on makes a branch. */
function branchWords(isShared: boolean): string {
  return isShared
    ? '(another terminal went on from here as well: yours is a branch of its own. See both with: /branches)'
    : '(this is a new branch. See them with: /branches)';
}
