import { fstatSync } from 'node:fs';
import type { Context } from '../command_line/command_context.js';
import { readStdin } from './message.js';

const STDIN = 0;
/** How long to wait before a note says what is awaited. */
const PATIENCE_MS = 3_000;

/** The piped input, read to its end; empty when there is none. */
export async function pipedInput(context: Context): Promise<string> {
  if (!isInputPiped()) return '';
  const timer = setTimeout(() => {
    context.note('Waiting for the end of standard input. To go without: < /dev/null');
  }, PATIENCE_MS);
  try {
    return await readStdin();
  } finally {
    clearTimeout(timer);
  }
}

/** Whether input is piped in; a device such as /dev/null, or a closed descriptor, is none. */
export function isInputPiped(): boolean {
  if (process.stdin.isTTY) return false;
  try {
    const stats = fstatSync(STDIN);
    return stats.isFIFO() || stats.isFile() || stats.isSocket();
  } catch {
    return false; // it is closed
  }
}
