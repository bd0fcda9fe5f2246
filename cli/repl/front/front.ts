import type { Question } from '../../../hub/protocol/question.js';
import type { TurnReason } from '../../../hub/protocol/turn.js';
import type { BlockChange } from '../../display/block.js';
import type { RunListened } from '../../turn/key_command.js';

/** The events that a front shows, in order, from the hub or a command. */
export type DisplayEvent =
  | BlockChange
  /** The person moved: the running turn is no longer shown. */
  | { kind: 'left' }
  /** A line that is not a message: a command, or an answer. */
  | { kind: 'typed_line'; text: string }
  /** What a command prints. */
  | { kind: 'text'; text: string }
  /** What a parked turn asks, with how to answer it. */
  | { kind: 'question'; question: Question; text: string }
  | { kind: 'note'; text: string }
  | { kind: 'failure'; message: string; hint: string | null };

/** An action of the person. */
export type FrontAction =
  /** `after`: when the running turn has ended. */
  | { kind: 'line'; text: string; when: 'now' | 'after' }
  /** A line that cannot be taken, such as one that is too long. */
  | { kind: 'refused'; error: unknown }
  | { kind: 'stop' }
  /** What waits comes back into the editor. */
  | { kind: 'take_back' }
  /** The exit code is that of the signal, if it was one. */
  | { kind: 'leave'; code: number };

/** Status, for fronts that redraw in place. */
export interface Status {
  tree: string;
  /** The name of the conversation, or the beginning of its id. */
  name: string;
  /** The position, as a short id. */
  position: string;
  /** Whether another terminal has gone on from the position. */
  isCarriedOn: boolean;
  /** The model that answers; null while unknown. */
  model: string | null;
  /** The thinking setting of the next turn; null while unknown. */
  thinking: string | null;
  turn: 'running' | 'stopping' | null;
  /** Inputs that wait for the running turn. */
  queued: readonly QueuedInput[];
  /** Lines that wait for a running command. */
  waiting: readonly string[];
  /** Whether something other than a turn takes long: a command, or a hub that is away. */
  isSlow: boolean;
  /** A notice about the hub while it is away; null while it is connected. */
  hub: string | null;
  /** When a failed request is retried; null when none waits. */
  retryAtMs: number | null;
  /** What the parked turn at the position asks for first. */
  asks: Question['kind'] | null;
  /** Why the last turn ended; null before one has, and where that is not known. */
  ended: TurnReason | null;
  /** A question that keys answer; null for none. */
  choice: Choice | null;
  /** What the next turn does here. */
  activity: 'Plan' | 'Execute';
  network: boolean;
  unsandboxed: boolean;
  /** How the race stands that was begun here; no rows without one. */
  board: readonly string[];
  /** How many commands of models run in the background. */
  jobs: number;
  /** What has not been sent to the remotes that the conversation is shared over, such as `team: 3 to send`; null when all has. */
  unsent: string | null;
  /** Whose hub is told what is typed, while its turn goes on on display; null for none. */
  atHub: string | null;
  /** Tokens of the turn, and of the whole conversation. */
  tokens: TokensCounted;
  totalTokens: TokensCounted;
  /** The used share of the model's context window, from 0 to 1; null when unknown. */
  contextShare: number | null;
  /** Of the whole conversation; null before anything has been paid for. */
  cost: KnownCost | null;
}

/** What was said to a running turn: heard after its current step, or when it has ended. */
export interface QueuedInput {
  text: string;
  kind: 'steer' | 'after';
}

/** What is known of a price: not whole where that of some requests is unknown. */
export interface KnownCost {
  microdollars: number;
  isWhole: boolean;
}

/** A question that keys answer. */
export interface Choice {
  /** The keys and what they do. */
  words: string;
  /** The line that each key says. */
  lines: Readonly<Record<string, string>>;
}

/** `cached` is a part of `input`. */
export interface TokensCounted {
  input: number;
  cached: number;
  output: number;
}

/** Shows a conversation, and supplies what the person types. */
export interface Front {
  /** Whether a person types: what they say while a turn runs goes to that turn. A script's lines wait for its end. */
  readonly attended: boolean;
  /** Whether output is only appended: nothing can be printed above the line being typed. */
  readonly isAppendOnly: boolean;
  columns(): number;
  rows(): number;
  /** Resolves when there is room for more. */
  show(shown: DisplayEvent): Promise<void>;
  /** Changes parts of the status. */
  update(change: Partial<Status>): void;
  /** What the person does, until the input ends; a line of a script comes when `idle` has resolved. */
  actions(idle: () => Promise<void>): AsyncGenerator<FrontAction>;
  /** Returns a text that could not be sent to the person. */
  giveBack(text: string): Promise<void>;
  /** Copies a text to the clipboard; false when none can be reached. */
  copy(text: string): boolean;
  /** Opens a file in the person's editor; false without a terminal to lend to it. */
  edit(file: string): Promise<boolean>;
  /** Shows a text page by page in the person's pager; false where there is none. */
  page(text: string): Promise<boolean>;
  /** Has the person choose a conversation on a screen of its own; false where there is none. */
  chooseConversation(): boolean;
  /** Runs a program that may ask the person something; its output is not shown. */
  runListened: RunListened;
  /** Something was added to the tree, or a mark in it has changed. */
  treeChanged(): void;
  close(): Promise<void>;
}
