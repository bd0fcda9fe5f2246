import type { Block } from '../../hub/protocol/node.js';
import type { Context } from '../command_line/command_context.js';
import { messageFrom } from './message.js';
import { askedImages } from './named_images.js';
import { pipedInput } from './piped_input.js';

/** What a model is asked: the images that are named, then the text. What is piped in may be anybody's, and names none. */
export async function askedBlocks(given: string, context: Context): Promise<Block[]> {
  const text = await askedText(given, context);
  const images = given === '-' ? [] : await askedImages(given, await context.client());
  return [...images, { type: 'text', text }];
}

/** As given, with what is piped in below it; `-` is what is piped in alone. */
async function askedText(given: string, context: Context): Promise<string> {
  if (given === '-') return messageFrom(given);
  const piped = await pipedInput(context);
  return messageFrom(piped.trim() === '' ? given : `${given}\n\n${piped}`);
}
