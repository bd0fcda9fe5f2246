import { raceAbort } from '../base/abort.js';
import { HubError } from '../base/error.js';
import { shortened } from '../base/head_and_tail.js';
import { callHub, type InternalCaller } from '../base/internal_call.js';
import { blocksOfType, imageLabel, readableText } from '../base/node_blocks.js';
import type { Resolved } from '../base/plugin.js';
import { wholeSeconds } from '../base/whole_seconds.js';
import type { ResultOf } from '../protocol/methods/method_table.js';
import type { Node } from '../protocol/node.js';
import { storedText } from './stored_text.js';

/** How long a plugin may take for one handle. */
const RESOLVE_MS_MAX = 60_000;

type ExternalNode = Extract<Node, { kind: 'external' }>;
export type Resolution = ResultOf<'context.resolve'>;

interface ResolveOptions {
  fresh: boolean;
  /** Whether what somebody else's node names is looked at. */
  others: boolean;
  bytesMax: number;
}

/** Resolves the handle of a node. A failure becomes a placeholder; only a cancelled call throws. */
export async function resolveNode(
  reach: InternalCaller,
  node: ExternalNode,
  options: ResolveOptions,
): Promise<Resolution> {
  const { output } = node.external;
  try {
    if (!options.fresh && output !== null) return await storedContent(reach, { node, output, options });
    if (!options.fresh && hasRun(node)) return textShownToModel(node, options, null);
    return await contentByPlugin(reach, node, options);
  } catch (error) {
    if (reach.context.signal.aborted) throw error;
    // Where nothing was stored and the plugin knows no more, the text shown to the model is all there is.
    if (!options.fresh && output === null && isResolveFailure(error)) return textShownToModel(node, options, null);
    const reason = error instanceof HubError ? error.message : 'it failed unexpectedly';
    return textShownToModel(node, options, reason);
  }
}

async function contentByPlugin(
  reach: InternalCaller,
  node: ExternalNode,
  options: ResolveOptions,
): Promise<Resolution> {
  // Whoever made the node has chosen what it names, and this is the machine of somebody else.
  if (!options.others && (await isImported(reach, node)))
    return textShownToModel(node, options, options.fresh ? NOT_LOOKED_AT : null);
  const resolved = await resolveByPlugin(reach, node, options);
  if (resolved === null) return textShownToModel(node, options, noPlugin(node.external.handle.source));
  // Where nothing was found originally, the text shown to the model says so.
  if (!options.fresh && resolved.total_bytes === 0) return textShownToModel(node, options, null);
  return { ...pick(resolved), placeholder: null };
}

type Stored = { node: ExternalNode; output: NonNullable<ExternalNode['external']['output']>; options: ResolveOptions };

async function storedContent(reach: InternalCaller, { node, output, options }: Stored): Promise<Resolution> {
  const readable = isMarkup(node.external.handle) ? await pageText(reach, node, options) : null;
  if (readable !== null) return readable;
  const { text, leftOutBytes, isBinary } = await storedText(
    reach,
    { handle: node.external.handle, output },
    options.bytesMax,
  );
  const images = isBinary ? blocksOfType(node.blocks, 'image').map(imageLabel).join('\n') : '';
  return {
    text: images === '' ? text : images,
    ...{ total_bytes: output.total_bytes, left_out_bytes: leftOutBytes },
    placeholder: isBinary ? 'what was seen is no text' : null,
    changed: null,
  };
}

/** A stored page is markup, which its plugin converts to readable text. */
function isMarkup({ metadata }: ExternalNode['external']['handle']): boolean {
  const type: unknown = Reflect.get(Object(metadata), 'content_type');
  return typeof type === 'string' && /^(text\/html|application\/xhtml\+xml)\b/i.test(type);
}

/** Null when the plugin cannot convert it: then the stored bytes are shown as they are. */
async function pageText(
  reach: InternalCaller,
  node: ExternalNode,
  options: ResolveOptions,
): Promise<Resolution | null> {
  const resolved = await resolveByPlugin(reach, node, options).catch(() => null);
  return resolved === null ? null : { ...pick(resolved), placeholder: null };
}

/** Whether a process has ended: if nothing is stored of it, it printed nothing. */
function hasRun({ external }: ExternalNode): boolean {
  return external.exit_code !== null || external.signal !== null;
}

/** The text that the model was shown when the node was created: the whole content where nothing else was stored. */
function textShownToModel(
  { blocks }: ExternalNode,
  { bytesMax }: ResolveOptions,
  placeholder: string | null,
): Resolution {
  const whole = readableText(blocks);
  const { text, leftOutBytes } = shortened(whole, bytesMax);
  return {
    ...{ text, total_bytes: Buffer.byteLength(whole), left_out_bytes: leftOutBytes },
    ...{ placeholder, changed: null },
  };
}

/** Null when no plugin knows the source. */
async function resolveByPlugin(
  { hub, context }: InternalCaller,
  node: ExternalNode,
  options: ResolveOptions,
): Promise<Resolved | null> {
  const { handle, output } = node.external;
  const late = AbortSignal.timeout(RESOLVE_MS_MAX);
  const signal = AbortSignal.any([context.signal, late]);
  const resolving = hub.resolve(
    { handle, output, fresh: options.fresh, bytes_max: options.bytesMax },
    // Events have no place in the answer.
    { ...context, signal, emit: () => undefined, hasRoom: () => true, drained: () => Promise.resolve() },
  );
  if (resolving === null) return null;
  return raceAbort(resolving, signal, () =>
    late.aborted
      ? new HubError('limit', `it took longer than ${wholeSeconds(RESOLVE_MS_MAX)}`)
      : new HubError('cancelled', 'the call was cancelled'),
  );
}

const NOT_LOOKED_AT = 'it came from elsewhere: what it names here is not looked at unasked';

async function isImported(reach: InternalCaller, { id, tree }: ExternalNode): Promise<boolean> {
  return (await callHub(reach, 'loom.node_get', { node: id, tree })).imported;
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
