import { HubError } from '../../../hub/base/error.js';
import { checkedMessage } from '../../input/message.js';
import { namedImages } from '../../input/named_images.js';
import { EXIT, exitCodeOf } from '../../output/failure.js';
import { newNodeId } from '../../position/ids.js';
import { fetchKey } from '../../turn/key_command.js';
import type { AgentChoice } from '../../turn/outside_agent.js';
import { commandKeys, reachOf } from './chat_turn_options.js';
import type { Conversation } from './conversation.js';
import { type ConversationParts, showFailure } from './conversation_parts.js';
import type { Verdict } from './exit_code.js';
import { hintInChat } from './hint_in_chat.js';
import { answered } from './open_question.js';
import { saidAtHub } from './other_hubs.js';
import type { TypedMessage } from './turn_inputs.js';

/** Adds messages to a conversation; a model answers when one is available. */
export interface Speaking {
  say(text: string, when: 'now' | 'after'): Promise<void>;
  /** A message that was put together elsewhere. */
  sayBlocks(said: TypedMessage): Promise<void>;
  /** Says something that an outside agent answers. */
  sayTo(text: string, agent: AgentChoice): Promise<void>;
}

interface SpeakingParts {
  verdict: Verdict;
  /** Refuses a message where the files are those of another branch. */
  checkFiles(): Promise<void>;
}

export function createSpeaking(conversation: () => Conversation, parts: SpeakingParts): Speaking {
  const { verdict, checkFiles } = parts;
  const isAnswered = createAnswerable();

  async function send(text: string, when: 'now' | 'after', blocks: () => Promise<TypedMessage>): Promise<void> {
    const { front } = conversation().parts;
    const kind = when === 'now' ? 'steer' : 'after';
    try {
      const said = await blocks();
      const { turns } = conversation();
      if (turns.current() !== null && (await turns.steer(said, kind))) return;
      const reply = await answered(conversation(), text);
      if (reply === 'permission_asked') return verdict.failed(EXIT.approval);
      if (reply === 'answered' || (await saidAtHub(conversation(), said, kind))) return;
      await checkFiles();
      await sayHere({ here: conversation(), verdict, isAnswered }, said, null);
    } catch (error) {
      verdict.failed(exitCodeOf(error));
      await front.giveBack(text);
      await showFailure(front, error);
    }
  }

  async function sayTo(text: string, agent: AgentChoice): Promise<void> {
    const here = conversation();
    if (here.turns.current() !== null) {
      throw new HubError('conflict', 'a turn is running', { hint: 'end it first with /stop' });
    }
    const said = await saidBlocks(checkedMessage(text), here.parts);
    await checkFiles();
    await sayHere({ here, verdict, isAnswered }, said, agent);
  }

  return {
    say: (text, when) => send(text, when, () => saidBlocks(checkedMessage(text), conversation().parts)),
    sayBlocks: (said) => send(said.text, 'now', async () => said),
    sayTo,
  };
}

/** A conversation in which something is said, and who could answer it. */
interface Saying {
  here: Conversation;
  verdict: Verdict;
  isAnswered(here: Conversation): Promise<Answerable>;
}

/** Adds a message at the position. */
async function sayHere(
  { here, verdict, isAnswered }: Saying,
  { blocks }: TypedMessage,
  agent: AgentChoice | null,
): Promise<void> {
  const { parts, place, turns } = here;
  const { client, front, ours } = parts;
  await here.ensure();
  const parent = place.position();
  const isAnnounced = place.isForked();
  // Registered first: our own node reaches the display meanwhile.
  const isShared = parts.display.state().tip !== parent;
  here.stepAside();
  const id = newNodeId();
  ours.add(id);
  const message = { id, tree: place.tree, parent, role: 'user' as const, blocks };
  const checked = settled(agent === null ? isAnswered(here) : Promise.resolve({ answer: true, note: null }));
  const { branched } = await client.call('loom.node_create_text', message).catch((error: unknown) => {
    ours.delete(id);
    throw error;
  });
  if (branched && !isAnnounced) await front.show({ kind: 'note', text: branchWords(isShared) });
  const { answer, note, failure } = await checked;
  // Only now, so that it is shown below the message.
  if (note !== null) await front.show({ kind: 'note', text: note });
  if (answer) turns.begin(id, agent ?? undefined);
  else place.advance(id, null);
  if (failure === null) return;
  // The message is stored, so it must not return to the editor.
  verdict.failed(exitCodeOf(failure));
  await showFailure(front, failure, 'then: /retry');
}

/** Never fails: a message is stored whether or not somebody can answer it. */
function settled(answerable: Promise<Answerable>): Promise<Answerable & { failure: unknown }> {
  return answerable.then(
    (one) => ({ ...one, failure: null }),
    (failure: unknown) => ({ answer: false, note: null, failure }),
  );
}

interface Answerable {
  answer: boolean;
  /** The reason, unless it was already shown. */
  note: string | null;
}

/** Checks that a model is available; otherwise messages are notes, announced once per reason. */
function createAnswerable(): (here: Conversation) => Promise<Answerable> {
  let lastReason = '';
  return async ({ parts, place, turnOptions }) => {
    try {
      const params = { node: place.position(), ...reachOf(turnOptions) };
      const { key_pending } = await parts.client.call('agent.check', params);
      if (key_pending !== null) await fetchKey(commandKeys(parts, turnOptions), key_pending);
      return { answer: true, note: null };
    } catch (error) {
      if (!(error instanceof HubError) || !MODELLESS.has(error.kind)) throw error;
      // Adding the node fails as well and reports the reason.
      if (error.kind === 'not_found' || error.message === lastReason) return { answer: false, note: null };
      lastReason = error.message;
      return { answer: false, note: notesOnly(error, parts) };
    }
  };
}

function notesOnly({ message, hint }: HubError, { toldModelless }: ConversationParts): string {
  const notes = 'messages are kept as notes';
  // Who reads the first lines knows why, and what to do.
  if (toldModelless.has(message)) return `(${notes})`;
  return `(${message}: ${notes})\nhint: ${hintInChat(hint ?? 'choose a model with: /model')}`;
}

/** Errors that mean a missing model, not a failed call. */
const MODELLESS: ReadonlySet<string> = new Set(['no_key', 'invalid_params', 'rejected', 'not_found']);

/** Blocks of a message: its `@` images, then the text. */
async function saidBlocks(text: string, { client, context }: ConversationParts): Promise<TypedMessage> {
  return { text, blocks: [...(await namedImages(text, client, context.project)), { type: 'text', text }] };
}

/** Writing where another client has continued makes a branch. */
function branchWords(isShared: boolean): string {
  return isShared
    ? '(another terminal went on from here as well: yours is a branch of its own. See both with: /branches)'
    : '(this is a new branch. See them with: /branches)';
}
