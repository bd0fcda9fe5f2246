import { run } from './run.js';

/** All commands and the chat in one bundle, so that both share their classes and module state. */
export function runWithChat(words: readonly string[]): Promise<void> {
  return run(words);
}
