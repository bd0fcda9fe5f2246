import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ContentBlock } from '@agentclientprotocol/sdk/unstable';
import { HubError } from '../../../hub/base/error.js';
import type { Client } from '../../../hub/client/client.js';
import { checkedMessage } from '../../input/message.js';
import { storedImage } from '../../input/named_images.js';
import type { TypedMessage } from '../conversation/turn_inputs.js';
import { fenced } from './session_updates.js';

/** An image of an editor, as base64. */
interface EncodedImage {
  data: string;
  mimeType: string;
}

interface Parts {
  text: string;
  /** Contents that the editor sends along, each below the text. */
  contents: string[];
  images: EncodedImage[];
}

/** A prompt of an editor as a message: what it only names is in the text, what it sends along stands below. */
export async function promptMessage(prompt: readonly ContentBlock[], client: Client): Promise<TypedMessage> {
  const parts: Parts = { text: '', contents: [], images: [] };
  for (const block of prompt) addBlock(parts, block);
  const images = await storeImages(parts.images, client);
  const text = [parts.text, ...parts.contents].join('\n\n').trim();
  if (text === '' && images.length > 0) return { text: '(an image)', blocks: images };
  return { text: checkedMessage(text), blocks: [...images, { type: 'text', text }] };
}

/** The text of a prompt that is nothing but text. */
export function plainText(prompt: readonly ContentBlock[]): string | null {
  const texts = prompt.map((block) => (block.type === 'text' ? block.text : null));
  return texts.includes(null) ? null : texts.join('').trim();
}

function addBlock(parts: Parts, block: ContentBlock): void {
  switch (block.type) {
    case 'text':
      parts.text += block.text;
      return;
    case 'image':
      parts.images.push(block);
      return;
    case 'resource_link':
      parts.text += referenceTo(block.uri);
      return;
    case 'resource':
      addResource(parts, block.resource);
      return;
    case 'audio':
      throw refused('sound', 'say it in words');
  }
}

type Resource = Extract<ContentBlock, { type: 'resource' }>['resource'];

function addResource(parts: Parts, resource: Resource): void {
  const { uri, mimeType } = resource;
  if ('text' in resource) {
    parts.text += referenceTo(uri);
    parts.contents.push(`${referenceTo(uri)}:\n${fenced(resource.text)}`);
  } else if (mimeType?.startsWith('image/') === true) parts.images.push({ data: resource.blob, mimeType });
  else throw refused(`${mimeType ?? 'a file'} that is no text`, `name it instead: ${referenceTo(uri)}`);
}

function refused(what: string, hint: string): HubError {
  return new HubError('invalid_params', `a model is not sent ${what}`, { hint });
}

/** A file of this machine by its path, anything else by its address. */
function referenceTo(uri: string): string {
  if (!uri.startsWith('file://')) return uri;
  const [address = uri, lines] = uri.split('#');
  try {
    return fileURLToPath(address) + (lines === undefined ? '' : `#${lines}`);
  } catch {
    return uri; // it names no file of this machine
  }
}

/** The hub reads images as files: they lie in a folder of their own meanwhile. */
async function storeImages(images: readonly EncodedImage[], client: Client): Promise<TypedMessage['blocks']> {
  if (images.length === 0) return [];
  const folder = await mkdtemp(join(tmpdir(), 'cognition-images-'));
  try {
    const stored: TypedMessage['blocks'] = [];
    for (const { data } of images) {
      const path = join(folder, randomUUID());
      await writeFile(path, Buffer.from(data, 'base64'), { mode: 0o600 });
      stored.push(await storedImage(path, client, null));
    }
    return stored;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
