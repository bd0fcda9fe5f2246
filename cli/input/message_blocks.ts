import type { Block } from '../../hub/protocol/node.js';
import type { Context } from '../command_line/command_context.js';
import { messageFrom } from './message.js';
import { namedImages } from './named_images.js';
import { pipedInput } from './piped_input.js';

/** What a model is asked: the images that are named, then the text. What is piped in may be anybody's, and names none. */
export async function messageBlocks(argument: string, context: Context): Promise<Block[]> {
  const text = await messageText(argument, context);
  const images = argument === '-' ? [] : await namedImages(argument, await context.client());
  return [...images, { type: 'text', text }];
}

/** As given, with what is piped in below it; `-` is what is piped in alone. */
async function messageText(argument: string, context: Context): Promise<string> {
  if (argument === '-') return messageFrom(argument);
  const piped = await pipedInput(context);
  return messageFrom(piped.trim() === '' ? argument : `${argument}\n\n${piped}`);
}
