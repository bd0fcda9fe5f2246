import { run } from './run.js';

/** All commands, from the bundle that holds the conversation too: both then share their classes, and what they keep. */
export function runWithChat(words: readonly string[]): Promise<void> {
  return run(words);
}
