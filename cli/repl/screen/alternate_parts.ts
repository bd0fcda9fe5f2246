import type { Look } from '../../render/look/look.js';
import type { Key } from '../editor/keys/key.js';
import type { Taken } from '../editor/keys/typed_run.js';
import type { Status } from '../front/front.js';
import type { Terminal } from '../terminal/terminal.js';

export type AlternateName = 'viewer' | 'last_call' | 'navigator' | 'agents' | 'conversations';

/** A view that covers the chat. */
export interface OpenScreen {
  take(key: Key): Taken;
  /** Returns to the chat. */
  leave(): void;
  /** The tree or the status has changed. */
  changed(): void;
  /** Resolves when it closes, with the view to open next. */
  end: Promise<AlternateName | null>;
}

/** The chat, as views on the alternate screen need it. */
export interface AlternateParts {
  terminal: Terminal;
  look(columns: number): Look;
  status(): Status;
  /** Submits a line as if it were typed. */
  say(line: string): void;
  /** Types keys into the editor. */
  type(keys: readonly Key[]): void;
  replace(text: string): void;
  hint(text: string): void;
  /** Called before the chat is shown again. */
  left(): void;
}
