import type { BlockChange } from '../../display/block.js';

/** What a front is shown, in the order in which it happens: all of it comes from the hub or from a command. */
export type DisplayEvent =
  | BlockChange
  /** The person has gone to another node: what is under way is not shown any more. */
  | { kind: 'left' }
  /** A line of the person that is no message: a command, or an answer. */
  | { kind: 'typed_line'; text: string }
  /** What a command prints. */
  | { kind: 'text'; text: string }
  | { kind: 'note'; text: string }
  | { kind: 'failure'; message: string; hint: string | null };

/** What the person wants. */
export type FrontAction =
  /** `after`: not before what runs has ended. */
  | { kind: 'line'; text: string; when: 'now' | 'after' }
  /** A line that is none, such as one that is too long. */
  | { kind: 'refused'; error: unknown }
  | { kind: 'stop' }
  /** The exit code is that of the signal, if it was one. */
  | { kind: 'leave'; code: number };

/** What is true at the moment, for who can show it at the same place all the time. */
export interface Status {
  tree: string;
  /** The name of the conversation, or the beginning of its id. */
  name: string;
  /** Where the person stands. */
  position: string;
  /** Which model answers; null while that is not known. */
  model: string | null;
  turn: 'running' | 'stopping' | null;
  /** What waits to be said. */
  queued: readonly string[];
  /** Lines that wait for the end of a command. */
  waiting: readonly string[];
  /** Whether something that is no turn takes long: a command, or a hub that is away. */
  isSlow: boolean;
  /** A word about the hub while it is away; null while it is there. */
  hub: string | null;
  /** When a model server is asked again that could not answer; null when none is waited for. */
  retryAtMs: number | null;
  /** What the turn that waits where one stands asks for first. */
  asks: 'question' | 'approval' | null;
  /** What the next turn would do here. */
  activity: 'Plan' | 'Execute';
  network: boolean;
  unsandboxed: boolean;
  /** Tokens of the turn, and of all turns since the conversation was opened. */
  tokens: { turn: TokensCounted; total: TokensCounted };
  /** The part of what the model can read that is used, from 0 to 1; null when it is not known. */
  contextShare: number | null;
  /** Null when it is not known. */
  costMicrodollars: number | null;
}

/** `cached` is a part of `input`. */
export interface TokensCounted {
  input: number;
  cached: number;
  output: number;
}

/** What a conversation shows itself on, and where its lines come from. */
export interface Front {
  /** Whether a person sits there: what they say while a turn runs is for that turn. A script's lines wait for its end. */
  readonly attended: boolean;
  /** Whether nothing can be put above what is being written. */
  readonly isAppendOnly: boolean;
  columns(): number;
  /** Resolves when there is room for more. */
  show(shown: DisplayEvent): Promise<void>;
  /** Tells what has changed of that. */
  update(change: Partial<Status>): void;
  /** What is wanted, until there is no more; a line of a script comes when `idle` has resolved. */
  actions(idle: () => Promise<void>): AsyncGenerator<FrontAction>;
  /** Takes back a text that could not be sent. */
  giveBack(text: string): Promise<void>;
  /** Gives a text to the clipboard; false when there is none to reach. */
  copy(text: string): boolean;
  /** Lets the person edit a file in their own editor; false where there is no terminal to lend to it. */
  edit(file: string): Promise<boolean>;
  /** Something was added to the tree, or a mark in it has changed. */
  treeChanged(): void;
  close(): Promise<void>;
}
