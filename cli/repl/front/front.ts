import type { BlockChange } from '../../display/block.js';

/** What a front shows, in the order in which it happens: all of it comes from the hub or from a command. */
export type DisplayEvent =
  | BlockChange
  /** The person went to another node: what runs is no longer shown. */
  | { kind: 'left' }
  /** A line that is not a message: a command, or an answer. */
  | { kind: 'typed_line'; text: string }
  /** What a command prints. */
  | { kind: 'text'; text: string }
  | { kind: 'note'; text: string }
  | { kind: 'failure'; message: string; hint: string | null };

/** What the person wants. */
export type FrontAction =
  /** `after`: when the running turn has ended. */
  | { kind: 'line'; text: string; when: 'now' | 'after' }
  /** A line that cannot be taken, such as one that is too long. */
  | { kind: 'refused'; error: unknown }
  | { kind: 'stop' }
  /** The exit code is that of the signal, if it was one. */
  | { kind: 'leave'; code: number };

/** Status, for fronts that redraw in place. */
export interface Status {
  tree: string;
  /** The name of the conversation, or the beginning of its id. */
  name: string;
  /** The position, as a short id. */
  position: string;
  /** The model that answers; null while unknown. */
  model: string | null;
  turn: 'running' | 'stopping' | null;
  /** Inputs that wait for the running turn. */
  queued: readonly string[];
  /** Lines that wait for a running command. */
  waiting: readonly string[];
  /** Whether something other than a turn takes long: a command, or a hub that is away. */
  isSlow: boolean;
  /** A notice about the hub while it is away; null while it is connected. */
  hub: string | null;
  /** When a failed request is retried; null when none waits. */
  retryAtMs: number | null;
  /** What the parked turn at the position asks for first. */
  asks: 'question' | 'approval' | null;
  /** What the next turn does here. */
  activity: 'Plan' | 'Execute';
  network: boolean;
  unsandboxed: boolean;
  /** Tokens of the turn, and of all turns since the conversation was opened here. */
  tokens: { turn: TokensCounted; total: TokensCounted };
  /** The used share of the model's context window, from 0 to 1; null when unknown. */
  contextShare: number | null;
  /** Null when unknown. */
  costMicrodollars: number | null;
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
  /** Something was added to the tree, or a mark in it has changed. */
  treeChanged(): void;
  close(): Promise<void>;
}
