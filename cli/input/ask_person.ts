import { createInterface } from 'node:readline';
import { HubError } from '../../hub/base/error.js';
import type { Context } from '../command_line/command_context.js';
import { EXIT } from '../output/failure.js';
import { cleanLine } from '../render/text/clean.js';

/** Whether a person at a terminal can be asked. */
export function canAsk(context: Context): boolean {
  return process.stdin.isTTY && context.screen.isTty;
}

/** Asks a person for one line; fails without a terminal instead of waiting for ever. */
export async function ask(context: Context, question: string): Promise<string> {
  if (!canAsk(context)) {
    throw new HubError('approval_needed', 'this asks before it goes on, and there is no terminal to ask on', {
      hint: 'add --yes when you are sure',
    });
  }
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await new Promise<string>((answer) => {
      reader.on('SIGINT', () => process.exit(EXIT.interrupted));
      reader.on('close', () => answer(''));
      reader.question(`${cleanLine(question)} `, (text) => answer(text.trim()));
    });
  } finally {
    reader.close();
  }
}
