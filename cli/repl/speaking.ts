import type { Client } from '../../hub/client.js';
import { HubError } from '../../hub/error.js';
import { askedImages } from '../asked_images.js';
import { newNodeId } from '../ids.js';
import { checkedMessage } from '../message.js';
import { answered } from './asking.js';
import type { Conversation } from './conversation.js';
import { hintHere } from './hints.js';
import { reachOf } from './means.js';
import { showFailure } from './stage.js';
import type { TypedMessage } from './turns.js';

/** Says things in a conversation: a message, which a model answers when there is one. */
export interface Speaking {
  /** False when it could not be said. */
  say(text: string, when: 'now' | 'after'): Promise<boolean>;
}

export function createSpeaking(conversation: () => Conversation): Speaking {
  /** What was said last about why no model answers: it is said once. */
  let lastReason = '';

  async function say(text: string, when: 'now' | 'after'): Promise<boolean> {
    const { turns, stage } = conversation();
    const { front } = stage;
    try {
      const said = await saidBlocks(checkedMessage(text), stage.client);
      if (turns.current() !== null) {
        if (await turns.steer(said, when === 'now' ? 'steer' : 'after')) return true;
      }
      if (!(await answered(conversation(), text))) await sayHere(conversation(), said);
      return true;
    } catch (error) {
      await front.giveBack(text);
      await showFailure(front, error);
      return false;
    }
  }

  /** Adds a message where the person stands. */
  async function sayHere(here: Conversation, { blocks }: TypedMessage): Promise<void> {
    const { stage, place, turns } = here;
    const { client, front, ours } = stage;
    await here.ensure();
    const parent = place.position();
    const isAnnounced = place.isForked();
    // Known before: what we say ourselves comes to the display meanwhile.
    const isShared = stage.scene.tip !== parent;
    const id = newNodeId();
    ours.add(id);
    const message = { id, tree: place.tree, parent, role: 'user' as const, blocks };
    const [hasModel, { branched }] = await Promise.all([
      isAnswered(here),
      client.call('loom.node_create_text', message).catch((error: unknown) => {
        ours.delete(id);
        throw error;
      }),
    ]);
    if (branched && !isAnnounced) await front.show({ kind: 'note', text: branchWords(isShared) });
    if (hasModel) turns.begin(id);
    else place.advance(id, null);
  }

  /** Whether a model can be asked here; otherwise messages are notes, which is said once for each reason. */
  async function isAnswered({ stage, place, means }: Conversation): Promise<boolean> {
    const { client, front } = stage;
    try {
      await client.call('agent.check', { node: place.position(), ...reachOf(means) });
      return true;
    } catch (error) {
      if (!(error instanceof HubError)) throw error;
      // Then nothing can be added either, and that says why.
      if (error.kind === 'not_found') return false;
      const { message, hint } = error;
      if (message !== lastReason) {
        lastReason = message;
        await front.show({
          kind: 'note',
          text: `(${message}: messages are kept as notes)\nhint: ${hintHere(hint ?? 'choose a model with: /model')}`,
        });
      }
      return false;
    }
  }

  return { say };
}

/** The images that a message names with `@`, then its text. */
async function saidBlocks(text: string, client: Client): Promise<TypedMessage> {
  return { text, blocks: [...(await askedImages(text, client)), { type: 'text', text }] };
}

/** Whoever writes where somebody else has gone on makes a branch. */
function branchWords(isShared: boolean): string {
  return isShared
    ? '(another terminal went on from here as well: yours is a branch of its own. See both with: /branches)'
    : '(this is a new branch. See them with: /branches)';
}
