import { raceAbort } from '../base/abort.js';
import { HubError } from '../base/error.js';
import { shortened } from '../base/head_and_tail.js';
import type { InternalCaller } from '../base/internal_call.js';
import { blocksOfType, imageLabel } from '../base/node_blocks.js';
import type { Resolved } from '../base/plugin.js';
import { wholeSeconds } from '../base/whole_seconds.js';
import type { ResultOf } from '../protocol/methods/method_table.js';
import type { Block, Node } from '../protocol/node.js';
import { storedText } from './stored_text.js';

/** How long a plugin may take for one handle. */
const RESOLVE_MS_MAX = 60_000;

type ExternalNode = Extract<Node, { kind: 'external' }>;
export type Resolution = ResultOf<'context.resolve'>;

interface Wanted {
  fresh: boolean;
  bytesMax: number;
}

/** Turns the handle of a node into content. What fails becomes a placeholder; only a call that is cancelled throws. */
export async function resolveNode(reach: InternalCaller, node: ExternalNode, wanted: Wanted): Promise<Resolution> {
  const { handle, output } = node.external;
  try {
    if (!wanted.fresh && output !== null) return await pinned(reach, { node, output, wanted });
    if (!wanted.fresh && hasRun(node)) return shownThen(node, wanted, null);
    const resolved = await throughPlugin(reach, node, wanted);
    if (resolved === null) return shownThen(node, wanted, noPlugin(handle.source));
    // Where nothing was found then, a model was told so.
    if (!wanted.fresh && resolved.total_bytes === 0) return shownThen(node, wanted, null);
    return { ...pick(resolved), placeholder: null };
  } catch (error) {
    if (reach.context.signal.aborted) throw error;
    // Where nothing was stored and the plugin knows no more, what a model was shown is all that was seen.
    if (!wanted.fresh && output === null && isResolveFailure(error)) return shownThen(node, wanted, null);
    const reason = error instanceof HubError ? error.message : 'it failed unexpectedly';
    return shownThen(node, wanted, reason);
  }
}

type Stored = { node: ExternalNode; output: NonNullable<ExternalNode['external']['output']>; wanted: Wanted };

async function pinned(reach: InternalCaller, { node, output, wanted }: Stored): Promise<Resolution> {
  const readable = isMarkup(node.external.handle) ? await asText(reach, node, wanted) : null;
  if (readable !== null) return readable;
  const { text, leftOutBytes, isBinary } = await storedText(
    reach,
    { handle: node.external.handle, output },
    wanted.bytesMax,
  );
  const images = isBinary ? blocksOfType(node.blocks, 'image').map(imageLabel).join('\n') : '';
  return {
    text: images === '' ? text : images,
    ...{ total_bytes: output.total_bytes, left_out_bytes: leftOutBytes },
    placeholder: isBinary ? 'what was seen is no text' : null,
    changed: null,
  };
}

/** What is stored of a page is its markup: its plugin makes the text of it that a reader can follow. */
function isMarkup({ metadata }: ExternalNode['external']['handle']): boolean {
  const type: unknown = Reflect.get(Object(metadata), 'content_type');
  return typeof type === 'string' && /^(text\/html|application\/xhtml\+xml)\b/i.test(type);
}

/** Null when the plugin cannot say: then the stored bytes are shown as they are. */
async function asText(reach: InternalCaller, node: ExternalNode, wanted: Wanted): Promise<Resolution | null> {
  const resolved = await throughPlugin(reach, node, wanted).catch(() => null);
  return resolved === null ? null : { ...pick(resolved), placeholder: null };
}

/** A process that has ended and of which nothing is stored has printed nothing. */
function hasRun({ external }: ExternalNode): boolean {
  return external.exit_code !== null || external.signal !== null;
}

/** What a model was shown when the node was made: all of it where nothing else was stored. */
function shownThen({ blocks }: ExternalNode, { bytesMax }: Wanted, placeholder: string | null): Resolution {
  const whole = readableText(blocks);
  const { text, leftOutBytes } = shortened(whole, bytesMax);
  return {
    ...{ text, total_bytes: Buffer.byteLength(whole), left_out_bytes: leftOutBytes },
    ...{ placeholder, changed: null },
  };
}

/** Null when no plugin knows the source. */
async function throughPlugin(
  { hub, context }: InternalCaller,
  node: ExternalNode,
  wanted: Wanted,
): Promise<Resolved | null> {
  const { handle, output } = node.external;
  const late = AbortSignal.timeout(RESOLVE_MS_MAX);
  const signal = AbortSignal.any([context.signal, late]);
  const resolving = hub.resolve(
    { handle, output, fresh: wanted.fresh, bytes_max: wanted.bytesMax },
    // What it may want to tell meanwhile has no place in the answer.
    { ...context, signal, emit: () => undefined, hasRoom: () => true, drained: () => Promise.resolve() },
  );
  if (resolving === null) return null;
  return raceAbort(resolving, signal, () =>
    late.aborted
      ? new HubError('limit', `it took longer than ${wholeSeconds(RESOLVE_MS_MAX)}`)
      : new HubError('cancelled', 'the call was cancelled'),
  );
}

function isResolveFailure(error: unknown): boolean {
  return error instanceof HubError && error.kind === 'resolve_failed';
}

function pick({ text, total_bytes, left_out_bytes, changed }: Resolved): Omit<Resolution, 'placeholder'> {
  return { text, total_bytes, left_out_bytes, changed };
}

function noPlugin(source: string): string {
  if (source === 'interrupted') return 'the call was interrupted: nothing more is known of it';
  return `no plugin knows the source ${JSON.stringify(source)}`;
}

/** What a node says to a reader, with a line for each image. */
export function readableText(blocks: readonly Block[]): string {
  return blocks
    .map(readableBlock)
    .filter((text) => text !== '')
    .join('\n');
}

function readableBlock(block: Block): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
      return imageLabel(block);
    case 'thinking':
    case 'call':
      return '';
  }
}
