import { statSync } from 'node:fs';
import { extname } from 'node:path';
import { HubError } from '../../hub/base/error.js';
import { extendHint } from '../../hub/base/hint.js';
import { blocksOfType } from '../../hub/base/node_blocks.js';
import type { Client } from '../../hub/client/client.js';
import { userHome } from '../../hub/config/config.js';
import type { Block } from '../../hub/protocol/node.js';
import { quoted } from '../position/reference.js';
import { fileReference, fileReferences } from './file_reference.js';

type Image = Extract<Block, { type: 'image' }>;

/** The image files that models accept, in upper or lower case. */
const SUPPORTED = /^\.(?:jpe?g|png|gif|webp)$/i;
/** Image files that no model accepts. */
const UNSUPPORTED = /^\.(?:heic|heif|avif|bmp|tiff?|jxl|ico|psd)$/i;
/** The most images that one message may name. */
const IMAGES_MAX = 20;

/**
 * Reads and stores the images that a message names as `@file.png`, in their order, each once. Other files stay text. A link in the
 * project that leads out of it is refused.
 */
export async function namedImages(text: string, client: Client, project: string): Promise<Image[]> {
  const named = [...new Set(fileReferences(text))];
  for (const path of named.filter((path) => UNSUPPORTED.test(extname(path)))) refuseKind(path);
  const paths = named.filter((path) => SUPPORTED.test(extname(path)));
  if (paths.length > IMAGES_MAX) {
    throw new HubError('limit', `the message names ${paths.length} images; a message may have ${IMAGES_MAX}`, {
      hint: 'ask about some of them first',
    });
  }
  const images: Image[] = [];
  for (const path of paths) images.push(await storedImage(path, client, project));
  return images;
}

function refuseKind(path: string): void {
  if (statSync(absoluteHome(path), { throwIfNoEntry: false })?.isFile() !== true) return;
  throw new HubError('invalid_params', `a model is shown no ${extname(path)} images: ${quoted(path)}`, {
    hint: `convert it to PNG or JPEG first${escapeHint(path)}`,
  });
}

/** Reads and stores an image; one that a message names lies in its project. */
export async function storedImage(path: string, client: Client, project: string | null): Promise<Image> {
  const { blocks } = await client
    .call('file.read', {
      ...{ path: absoluteHome(path), cwd: process.cwd(), limit: 1, policy: { kind: 'open' } },
      inside: project,
    })
    .catch((error: unknown) => {
      throw withEscapeHint(error, path);
    });
  const [image] = blocksOfType(blocks, 'image');
  if (image !== undefined) return image;
  throw new HubError('invalid_params', `${quoted(path)} holds no image, whatever its name says`, {
    hint: `a model is shown JPEG, PNG, GIF and WebP${escapeHint(path)}`,
  });
}

/** Adds how to write the name as plain text. */
function withEscapeHint(error: unknown, path: string): unknown {
  if (!(error instanceof HubError) || error.kind === 'unreachable') return error;
  const hint = extendHint(error.hint ?? 'name another file', escapeHint(path));
  return new HubError(error.kind, `no image to send along: ${error.message}`, { hint, cause: error });
}

function escapeHint(path: string): string {
  return `; if you mean no file, write \\${fileReference(path)}`;
}

function absoluteHome(path: string): string {
  return path.replace(/^~(?=\/)/, userHome());
}
