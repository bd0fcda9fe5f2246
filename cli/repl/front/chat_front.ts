import type { Repl } from '../repl.js';
import type { Front } from './front.js';

/** A front as a chat opens it. */
export interface ChatFront extends Front {
  /** Gives what the screens beside the conversation work with. */
  attach(repl: Repl): void;
}
