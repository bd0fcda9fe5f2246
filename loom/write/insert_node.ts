import { existsSync } from 'node:fs';
import { HubError } from '../../hub/base/error.js';
import { rpcMethod } from '../../hub/base/hint.js';
import { outputsOf, writtenText } from '../../hub/base/node_blocks.js';
import { NODE_BYTES_MAX } from '../../hub/protocol/limits.js';
import type { Block, External, NodeMeta, Role, Sha256 } from '../../hub/protocol/node.js';
import { outputPath } from '../outputs/output_path.js';
import { noteSiblingOrder } from '../registers/sibling_order.js';
import { canonicalJson } from '../store/canonical_json.js';
import { nodeHash } from '../store/node_hash.js';
import { isMessage, previewOf } from '../store/node_preview.js';
import { type ListedColumns, listingSum } from '../store/row_sums.js';
import { dashed, idBlob, nodeJson } from '../store/rows.js';
import { findArchivedTop, requireSettings, type StoredNode, type TreeKey } from './find_rows.js';
import { holdOutput } from './loose_files.js';
import { invalid, type WriteContext } from './write_operation.js';

/** A node as a caller gives it. */
export interface NodeDraft {
  id: string;
  role: Role;
  step: { id: string; index: number; size: number } | null;
  settings: string | null;
  blocks: readonly Block[];
  external: External | null;
  /** What a program says of it; left out for nothing. */
  meta?: NodeMeta | undefined;
}

/** The columns of a parent that its child is made with. */
export type Above = Pick<StoredNode, 'seq' | 'id' | 'depth' | 'hash'>;

/** A node as it was written. */
export interface Stored extends Above {
  listed: ListedColumns;
  /** Whether the parent had a child already. */
  branched: boolean;
}

export interface Inserted extends Stored {
  json: string;
}

/** Where and when a node is inserted, and whether its outputs must be stored already; a file brings its own. */
export interface Placement {
  tree: TreeKey;
  above: Above | null;
  createdAtMs: number;
  outputs: 'present' | 'later' | 'from_file';
  /** What is known of the parent's children; null when it has to be looked up. */
  siblings: Siblings | null;
  /** Whose it is, when another hub has made it. */
  by: string | null;
}

interface Siblings {
  isAny: boolean;
  /** Whether one of them, and so the parent, is in no archived branch. */
  isAnyVisible: boolean;
}

/** A draft with its contents as they are stored and hashed: RFC 8785 JSON. */
export interface EncodedDraft extends NodeDraft {
  blocksJson: string;
  externalJson: string | null;
  metaJson: string | null;
}

/** The JSON of blocks, and how large it is. */
interface EncodedBlocks {
  json: string;
  bytes: number;
  jsonBytes: number;
}

const encodedAhead = new WeakMap<readonly Block[], EncodedBlocks>();

/** Encodes blocks that a node will be made of, so that the transaction does not take as long. */
export function encodeAhead(blocks: readonly Block[]): void {
  encodedAhead.set(blocks, encodeBlocks(blocks));
}

function encodeBlocks(blocks: readonly Block[]): EncodedBlocks {
  const json = canonicalJson(blocks);
  // A short one need not be measured: no character has more bytes.
  const most = 3 * json.length;
  if (most <= NODE_BYTES_MAX) return { json, bytes: most, jsonBytes: most };
  // A text counts without the escapes of its JSON.
  const texts = blocks.map((block) => writtenText(block) ?? canonicalJson(block));
  return { json, bytes: sumOf(texts.map(byteLength)), jsonBytes: byteLength(json) };
}

export function encodeDraft(draft: NodeDraft): EncodedDraft {
  const { id, role, step, settings, blocks, external, meta } = draft;
  const { json: blocksJson, ...size } = encodedAhead.get(draft.blocks) ?? encodeBlocks(draft.blocks);
  const externalJson = draft.external === null ? null : canonicalJson(draft.external);
  refuseTooLarge('text', size);
  if (externalJson !== null) refuseTooLarge('call', { bytes: byteLength(externalJson), jsonBytes: 0 });
  return { id, role, step, settings, blocks, external, meta, externalJson, blocksJson, metaJson: metaJson(draft) };
}

export const metaJson = ({ meta }: Pick<NodeDraft, 'meta'>): string | null =>
  meta === undefined ? null : canonicalJson(meta);

/** The hash of a draft at its placement, in hex. */
export function draftHash(draft: EncodedDraft, placement: Placement): string {
  return nodeHash(placement.above?.hash.toString('hex') ?? null, {
    id: draft.id,
    tree: dashed(placement.tree.id),
    parent: placement.above === null ? null : dashed(placement.above.id),
    role: draft.role,
    created_at_ms: placement.createdAtMs,
    step: draft.step,
    settings: draft.settings,
    blocks: draft.blocksJson,
    external: draft.externalJson,
    meta: draft.metaJson,
  });
}

/** Writes one node, its links and its tree's counters, and publishes it. */
export function insertNode(context: WriteContext, input: NodeDraft, placement: Placement): Inserted {
  const draft = encodeDraft(input);
  const stored = storeNode(context, { draft, hash: draftHash(draft, placement) }, placement);
  return { ...stored, json: tellNode(context, stored, { draft, placement }) };
}

/** Writes one node, its links and its tree's counters; its hash is that of the draft at its placement. */
export function storeNode(
  context: WriteContext,
  { draft, hash: hex }: { draft: EncodedDraft; hash: string },
  placement: Placement,
): Stored {
  const { store } = context;
  const { tree, above } = placement;
  const hash = Buffer.from(hex, 'hex');
  const seq = context.nextSeq();
  const depth = above === null ? 0 : above.depth + 1;
  const siblings = placement.siblings ?? siblingsBelow(context, tree, above);
  const listed = listedColumns(draft, placement);
  store.run(
    `INSERT INTO nodes (seq, id, tree, parent, depth, role, created_at_ms, step, step_index, step_size, settings,
       hash, tool, exit_code, preview, external, blocks, listing_sum, imported, meta)
       VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`,
    seq,
    Buffer.from(listed.id, 'hex'),
    tree.tree,
    listed.parent,
    depth,
    draft.role,
    placement.createdAtMs,
    listed.step === null ? null : Buffer.from(listed.step, 'hex'),
    listed.step_index,
    listed.step_size,
    requireSettings(store, draft.settings),
    hash,
    listed.tool,
    listed.exit_code,
    listed.preview,
    draft.externalJson,
    draft.blocksJson,
    listingSum(listed),
    placement.outputs === 'from_file' ? 1 : 0,
    draft.metaJson,
  );
  linkOutputs(context, seq, { draft, must: placement.outputs });
  countNode(context, { seq, tree: tree.tree, listed, opensBranch: above === null || siblings.isAnyVisible });
  if (siblings.isAny) noteSiblingOrder(store, { ...listed, tree: tree.tree, seq });
  return { seq, id: listed.id, depth, hash, listed, branched: siblings.isAny };
}

/** Publishes a node that was written; returns its JSON. */
export function tellNode(
  context: WriteContext,
  { seq, id, depth, hash, listed }: Stored,
  { draft, placement: { tree, createdAtMs, by } }: { draft: EncodedDraft; placement: Placement },
): string {
  const json = nodeJson({
    seq,
    id,
    tree_id: tree.id,
    parent_id: listed.parent_id,
    depth,
    role: draft.role,
    created_at_ms: createdAtMs,
    step: listed.step,
    step_index: listed.step_index,
    step_size: listed.step_size,
    settings_sha256: draft.settings,
    hash: hash.toString('hex'),
    external: draft.externalJson,
    blocks: draft.blocksJson,
    meta: draft.metaJson,
    by,
  });
  const fields = `"parent_seq":${listed.parent},"node":${json}`;
  context.publish({ seq, tree: dashed(tree.id), kind: 'node_created', fields });
  return json;
}

function countNode(
  context: WriteContext,
  { seq, tree, listed, opensBranch }: { seq: number; tree: number; listed: ListedColumns; opensBranch: boolean },
): void {
  const words = listed.role === 'user' ? listed.preview : '';
  context.count(tree, { seq, opensBranch, words, isMessage: isMessage(listed.role, listed.preview) });
}

/** The columns that lists show, which are derived from the others. Spreads would take longer here than the hash. */
function listedColumns(
  { id, role, step, blocks, external }: NodeDraft,
  { above, createdAtMs }: Placement,
): ListedColumns {
  return {
    id: hex(id),
    parent_id: above?.id ?? null,
    step: step === null ? null : hex(step.id),
    parent: above?.seq ?? null,
    role,
    created_at_ms: createdAtMs,
    preview: previewOf(blocks, external),
    tool: external?.call.tool ?? null,
    exit_code: external?.exit_code ?? null,
    step_index: step?.index ?? null,
    step_size: step?.size ?? null,
  };
}

/** Whether a node had an older sibling when it was inserted: the `branched` of its first result. */
export function wasBranched(context: WriteContext, node: Pick<StoredNode, 'seq' | 'parent'>): boolean {
  const sql = 'SELECT 1 FROM nodes WHERE parent = ? AND seq < ? LIMIT 1';
  return context.store.get(sql, node.parent, node.seq) !== undefined;
}

function siblingsBelow(context: WriteContext, { tree }: TreeKey, above: Above | null): Siblings {
  const any =
    above !== null && context.store.get('SELECT 1 FROM nodes WHERE parent = ? LIMIT 1', above.seq) !== undefined;
  if (!any) return { isAny: false, isAnyVisible: false };
  const visible = `SELECT 1 FROM nodes n WHERE n.parent = ?
    AND NOT EXISTS (SELECT 1 FROM archived_branches a WHERE a.node = n.seq) LIMIT 1`;
  // Work that began before its branch was archived ends in it.
  const isHidden = findArchivedTop(context.store, { seq: above.seq, tree }) !== null;
  return { isAny: true, isAnyVisible: !isHidden && context.store.get(visible, above.seq) !== undefined };
}

function linkOutputs(
  context: WriteContext,
  seq: number,
  { draft, must }: { draft: NodeDraft; must: Placement['outputs'] },
): void {
  for (const sha256 of outputsOf(draft)) {
    if (must === 'present') requireStoredOutput(context, sha256);
    context.store.run('INSERT INTO node_outputs (node, sha256) VALUES (?, ?)', seq, idBlob(sha256));
    holdOutput(context.store, sha256);
  }
}

export function requireStoredOutput({ outputs }: WriteContext, sha256: Sha256): void {
  if (existsSync(outputPath(outputs, sha256))) return;
  throw new HubError('not_found', `there is no stored output ${sha256}`, {
    hint: ['store it first: ', rpcMethod('loom.blob_write')],
    retryable: true,
  });
}

/** Whether a block alone is worth a message: some visible text, or an image. */
export function hasContent(block: Block): boolean {
  switch (block.type) {
    case 'text':
    case 'thinking':
      return block.text.trim() !== '';
    case 'image':
      return true;
    case 'kept':
      return false;
    case 'call':
      return false; // calls belong to answers of a model
  }
}

// A stored node must fit a frame when it is read, escapes included.
const JSON_BYTES_MAX = 3 * NODE_BYTES_MAX;

function refuseTooLarge(what: string, { bytes, jsonBytes }: { bytes: number; jsonBytes: number }): void {
  if (bytes <= NODE_BYTES_MAX && jsonBytes <= JSON_BYTES_MAX) return;
  const mib = (count: number) => (count / 1024 / 1024).toFixed(1);
  throw invalid(
    `the ${what} of this node has ${mib(Math.max(bytes, jsonBytes / 3))} MiB; a node holds at most ${mib(NODE_BYTES_MAX)} MiB`,
    'store large data as an output or a file and point at it',
  );
}

const byteLength = (text: string): number => Buffer.byteLength(text);
const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);

function hex(id: string): string {
  return id.replaceAll('-', '');
}
