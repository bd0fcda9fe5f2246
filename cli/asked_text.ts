import type { Context } from './context.js';
import { messageFrom } from './message.js';
import { pipedInput } from './piped_input.js';

/** What a model is asked: as given, with what is piped in below it; `-` is what is piped in alone. */
export async function askedText(given: string, context: Context): Promise<string> {
  if (given === '-') return messageFrom(given);
  const piped = await pipedInput(context);
  return messageFrom(piped.trim() === '' ? given : `${given}\n\n${piped}`);
}
