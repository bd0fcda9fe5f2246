import { fstatSync } from 'node:fs';
import type { Context } from '../command_line/command_context.js';
import { readStdin } from './message.js';

const STDIN = 0;
/** When a person is told what is waited for. */
const PATIENCE_MS = 3_000;

/** What is piped in, to its end; empty when nothing is. */
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

/** Whether anything is piped in: a device such as /dev/null is no input, and a closed descriptor neither. */
export function isInputPiped(): boolean {
  if (process.stdin.isTTY) return false;
  try {
    const stats = fstatSync(STDIN);
    return stats.isFIFO() || stats.isFile() || stats.isSocket();
  } catch {
    return false; // it is closed
  }
}
