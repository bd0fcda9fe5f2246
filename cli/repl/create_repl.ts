import { detach, neverFails } from '../../hub/base/detach.js';
import type { Client } from '../../hub/client/client.js';
import type { TreeId } from '../../hub/protocol/node.js';
import type { Context } from '../command_line/command_context.js';
import { lookFor } from '../output/terminal_look.js';
import type { ChatTurnOptions } from './conversation/chat_turn_options.js';
import { type Conversation, type Opened, openConversation } from './conversation/conversation.js';
import type { Verdict } from './conversation/exit_code.js';
import { hintInChat } from './conversation/hint_in_chat.js';
import { createShell } from './conversation/own_commands.js';
import { createSpeaking } from './conversation/say_message.js';
import { ownSession } from './conversation/session_seen_inside.js';
import type { Front } from './front/front.js';
import type { Repl } from './repl.js';
import { createFilesCheck } from './tree/files_elsewhere.js';

export interface ReplParts {
  /** Of the command that the REPL runs in. */
  context: Context;
  client: Client;
  front: Front;
  turnOptions: ChatTurnOptions;
  verdict: Verdict;
  /** Whether files come along to other nodes. */
  follow: Repl['follow'];
  /** What /new and /use do. */
  switchTo(tree: TreeId | null): Promise<void>;
  leave(): void;
}

export interface CreatedRepl {
  repl: Repl;
  /** Closes the open conversation and opens another. */
  open(opened: Opened): Promise<Conversation>;
}

/** What commands, messages and turns work with; no conversation is open yet. */
export function createRepl({ context, switchTo, leave, follow, ...shared }: ReplParts): CreatedRepl {
  const { client, front, turnOptions, verdict } = shared;
  let current: Conversation | null = null;
  const conversation = (): Conversation => {
    if (current === null) throw new RangeError('no conversation is open');
    return current;
  };
  const own = contextWithin(context, front, () => conversation().parts);
  const checkFiles = createFilesCheck();
  const repl: Repl = {
    ...{ context: own, client, front, turnOptions, verdict, conversation, listed: null },
    speaking: createSpeaking(conversation, { verdict, checkFiles: () => checkFiles(repl) }),
    ...{ shell: createShell(conversation), open: switchTo, leave },
    ...{ follow, lastMove: null, fileAnswers: null, asides: new Set(), toldLimits: false },
  };
  return {
    repl,
    async open(opened) {
      await current?.close();
      turnOptions.transcriptFile = null;
      current = openConversation({ context, own, client, front, turnOptions, verdict }, opened);
      return current;
    },
  };
}

/** The context as commands see it from inside. */
function contextWithin(context: Context, front: Front, parts: () => Conversation['parts']): Context {
  return {
    ...context,
    json: false,
    chat: {
      adds: (node, shown) => void (shown === 'beside' ? parts().beside : parts().ours).add(node),
      showBoard: (board) => front.update({ board }),
    },
    session: ownSession(context.session, () => parts().place),
    out: { write: (text) => front.show({ kind: 'text', text }), end: async () => undefined },
    note: (hint) => detach(front.show({ kind: 'note', text: hintInChat(hint) }), neverFails),
    look: (texts) => lookFor({ ...context.screen, columns: front.columns() }, context.preferences, texts),
  };
}
