import type { Block } from '../../hub/protocol/node.js';
import type { Context } from '../command_line/command_context.js';
import { messageFrom } from './message.js';
import { namedImages } from './named_images.js';
import { pipedInput } from './piped_input.js';

/** The blocks of a message: the images that it names, then its text. Piped input may be anybody's, so it names no images. */
export async function messageBlocks(argument: string, context: Context): Promise<Block[]> {
  const text = await messageText(argument, context);
  const images = argument === '-' ? [] : await namedImages(argument, await context.client(), context.project);
  return [...images, { type: 'text', text }];
}

/** The argument with the piped input below it; for `-` the piped input alone. */
async function messageText(argument: string, context: Context): Promise<string> {
  if (argument === '-') return messageFrom(argument);
  const piped = await pipedInput(context);
  return messageFrom(piped.trim() === '' ? argument : `${argument}\n\n${piped}`);
}
