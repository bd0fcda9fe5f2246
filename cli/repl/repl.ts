import type { Client } from '../../hub/client/client.js';
import type { NodeId, TreeId } from '../../hub/protocol/node.js';
import type { Context } from '../command_line/command_context.js';
import type { ChatTurnOptions } from './conversation/chat_turn_options.js';
import type { Conversation } from './conversation/conversation.js';
import type { Verdict } from './conversation/exit_code.js';
import type { OwnCommands } from './conversation/own_commands.js';
import type { Speaking } from './conversation/say_message.js';
import type { Front } from './front/front.js';

/** What the commands of the REPL work with. */
export interface Repl {
  /** The context of commands in the chat: `@` is the open conversation and its position, output goes to the front. */
  context: Context;
  client: Client;
  front: Front;
  turnOptions: ChatTurnOptions;
  verdict: Verdict;
  speaking: Speaking;
  shell: OwnCommands;
  /** The one that is open. */
  conversation(): Conversation;
  /** Opens another conversation; null makes a new one. */
  open(tree: TreeId | null): Promise<void>;
  /** The first nodes of the branches, or the leaves or lanes, listed last: `/switch 2` and `/compare 1 2` refer to them. */
  listed: Listed | null;
  /** Whether files come along to other nodes. */
  follow: 'yes' | 'ask' | 'no';
  /** The last move; null when there was none. */
  lastMove: LastMove | null;
  /** Whether it was said what does not come along. */
  toldLimits: boolean;
  /** What the answers to an open question about files do. */
  fileAnswers: ReadonlyMap<string, () => Promise<void>> | null;
  /** What runs beside the conversation, by what stops it. */
  asides: Set<() => void>;
  /** Ends the REPL after the command that runs. */
  leave(): void;
}

export interface LastMove {
  tree: TreeId;
  from: NodeId;
  to: NodeId;
  /** Whether files were changed by it. */
  hasFiles: boolean;
}

export type Listed = { kind: 'branches' | 'leaves'; nodes: readonly string[] };

/** One command of the REPL. */
export interface ReplCommand {
  name: string;
  /** What may follow the name, as help shows it; empty for nothing. */
  usage: string;
  summary: string;
  /** What an editor offers after the name. */
  completes: 'node' | 'tree' | 'command' | 'model' | 'level' | 'thinking' | 'file' | null;
  /** The extra lines of `/help name`: options, or what the words mean. */
  details?(): Promise<readonly (readonly [string, string])[]>;
  /** `argument` is the rest of the line. */
  run(argument: string, repl: Repl): Promise<void>;
}
