import type { Look } from '../../render/look/look.js';
import type { Key } from '../editor/keys/key.js';
import type { Status } from '../front/front.js';
import type { Terminal } from '../terminal/terminal.js';

export type AlternateName = 'viewer' | 'last_call' | 'navigator' | 'agents';

/** What takes the place of the chat while it is open. */
export interface OpenScreen {
  take(key: Key): void;
  /** Something was added to the tree, or the status has changed. */
  changed(): void;
  /** Resolves when it is left, with what is opened instead. */
  end: Promise<AlternateName | null>;
}

/** What screens on the alternate screen need of the chat. */
export interface AlternateParts {
  terminal: Terminal;
  look(columns: number): Look;
  status(): Status;
  /** Says a line as if it were typed. */
  say(line: string): void;
  /** Types a key into the editor. */
  type(key: Key): void;
  replace(text: string): void;
  hint(text: string): void;
  /** The chat is about to be seen again. */
  left(): void;
}
