import type { Client } from '../../hub/client/client.js';
import type { TreeId } from '../../hub/protocol/node.js';
import type { Context } from '../command_line/command_context.js';
import type { ChatTurnOptions } from './conversation/chat_turn_options.js';
import type { Conversation } from './conversation/conversation.js';
import type { Verdict } from './conversation/exit_code.js';
import type { OwnCommands } from './conversation/own_commands.js';
import type { Speaking } from './conversation/say_message.js';
import type { Front } from './front/front.js';

/** What commands work with. */
export interface Repl {
  /** As seen from inside: `@` is the open conversation and the place in it, output goes to the front. */
  context: Context;
  client: Client;
  front: Front;
  turnOptions: ChatTurnOptions;
  verdict: Verdict;
  speaking: Speaking;
  shell: OwnCommands;
  /** The one that is open. */
  conversation(): Conversation;
  /** Opens another one: one that exists, or a new one. */
  open(tree: TreeId | null): Promise<void>;
  /** The first nodes of the branches, or the leaves, that were listed last: a number means one of them. */
  listed: Listed | null;
  /** Ends the REPL after what is under way. */
  leave(): void;
}

export type Listed = { kind: 'branches' | 'leaves'; nodes: readonly string[] };

/** One command of the REPL. */
export interface ReplCommand {
  name: string;
  /** What may follow the name, as help shows it; empty for nothing. */
  usage: string;
  summary: string;
  /** What an editor offers after the name. */
  completes: 'node' | 'tree' | 'command' | 'model' | 'level' | 'file' | null;
  /** What help tells about one command alone: its options, or what its words mean. */
  details?(): Promise<readonly (readonly [string, string])[]>;
  /** `argument` is the rest of the line. */
  run(argument: string, repl: Repl): Promise<void>;
}
