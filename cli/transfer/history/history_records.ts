import { createHash } from 'node:crypto';
import { shortened } from '../../../hub/base/head_and_tail.js';
import { NODE_BYTES_MAX, STEP_CALLS_MAX } from '../../../hub/protocol/limits.js';
import type { Block, External, NodeId, PortableNode, Tree, TreeId, TreeName } from '../../../hub/protocol/node.js';
import { canonicalJson } from '../../../loom/store/canonical_json.js';
import { nodeHash } from '../../../loom/store/node_hash.js';
import {
  type History,
  type HistoryCall,
  type HistoryImage,
  type HistoryTurn,
  saysNothing,
} from '../../../tools/agents/history/history.js';
import { IMAGE_BYTES_MAX, imageFacts } from '../../../tools/base/image.js';
import { isTreeName, nodeIdOf, sha256From, treeIdOf } from '../../position/ids.js';
import { rootOf } from '../../position/reference.js';
import type { OutputData, PortableRecord } from '../export_records.js';
import { inputThatFits } from './call_input.js';

/** A tree that a history comes to. */
export interface HistoryTree {
  tree: TreeId;
  records: PortableRecord[];
  /** The node of each call, by its id. */
  calls: Map<string, NodeId>;
}

const TEXT_BYTES_MAX = NODE_BYTES_MAX / 8;
/** A step goes into one frame, where each byte may take six and an input stands twice. */
const STEP_BYTES_MAX = 1.5 * 1024 * 1024;
const IMAGES_MAX = 500;
const NAME_LENGTH_MAX = 200;
const TREE_NAME_MAX = 100;
const PIECE_BYTES = 512 * 1024;
const UNFINISHED = 'interrupted: this call did not finish, and what it did is not known';

/**
 * Makes a tree of a history; null when nothing was said in it. The id of a node comes from its parent and its content: what a fork has
 * copied is the same node again, and a second import adds nothing.
 */
export function treeOfHistory(
  history: History,
  { source, owner, project }: { source: string; owner: Tree['owner']; project: string | null },
): HistoryTree | null {
  const turns = history.turns.filter((turn) => !saysNothing(turn));
  const [first] = turns;
  if (first === undefined) return null;
  const tree = treeIdOf(canonicalJson([source, first.kind, first.atMs, first.text]));
  const writer = createWriter(tree, source);
  const root: Written = writer.write(null, { id: rootOf(tree), role: 'root', atMs: first.atMs, blocks: [] });
  const written = new Map<HistoryTurn, Written>();
  for (const turn of turns) {
    let above = turn.parent;
    while (above !== null && !written.has(above)) above = above.parent;
    const parent = (above === null ? undefined : written.get(above)) ?? root;
    written.set(turn, writer.turn(parent, turn));
  }
  const name = treeNameIn(history.name);
  const record = { id: tree, name, project, owner, created_at_ms: first.atMs };
  return { tree, records: [{ kind: 'tree', format: 1, tree: record }, ...writer.records], calls: writer.calls };
}

interface Written {
  id: NodeId;
  hash: string;
}

interface Draft {
  id: NodeId;
  role: PortableNode['role'];
  atMs: number;
  blocks: Block[];
  step?: NonNullable<PortableNode['step']>;
  external?: External;
}

interface Writer {
  records: PortableRecord[];
  calls: Map<string, NodeId>;
  write(parent: Written | null, draft: Draft): Written;
  turn(parent: Written, turn: HistoryTurn): Written;
}

function createWriter(tree: TreeId, source: string): Writer {
  const records: PortableRecord[] = [];
  const calls = new Map<string, NodeId>();
  const write: Writer['write'] = (parent, draft) => {
    const node = portableNode(tree, parent, draft);
    records.push({ kind: 'node', node });
    return { id: node.id, hash: node.hash };
  };
  const step = (parent: Written, turn: HistoryTurn): Written => {
    const made = turn.calls.slice(0, STEP_CALLS_MAX);
    const bytesMax = Math.floor(STEP_BYTES_MAX / (made.length + 1));
    const called = made.map((call) => ({ ...call, id: nameOf(call.id), ...fitting(call, bytesMax) }));
    const texts = [...thinkingOf(turn), ...textBlocks(turn.text)];
    const blocks = [...texts, ...called.map(callBlock)];
    const results = called.map((call) => resultOf(call, call.id, source));
    const id = nodeIdOf(canonicalJson([parent.id, 'assistant', turn.atMs, blocks, results]));
    const size = made.length + 1;
    let last = write(parent, { id, role: 'assistant', atMs: turn.atMs, blocks, step: { id, index: 0, size } });
    for (const [index, { blocks: shown, external }] of results.entries()) {
      const place = { id, index: index + 1, size };
      const result = nodeIdOf(canonicalJson([id, index, shown, external]));
      last = write(last, { id: result, role: 'tool', atMs: turn.atMs, blocks: shown, external, step: place });
      calls.set(made[index]?.id ?? '', result);
    }
    return last;
  };
  return {
    ...{ records, calls, write },
    turn: (parent, turn) => {
      if (turn.kind === 'assistant') return step(parent, turn);
      const [call] = turn.kind === 'command' ? turn.calls : [];
      const result =
        call === undefined ? null : resultOf({ ...call, ...fitting(call, STEP_BYTES_MAX / 2) }, null, source);
      const images = turn.images.slice(0, IMAGES_MAX).flatMap((image) => storedImage(image, records));
      const blocks = result?.blocks ?? [...textBlocks(turn.text), ...images];
      const spoken = turn.kind === 'summary' ? 'summary' : 'user';
      const role = result === null ? spoken : 'tool';
      const id = nodeIdOf(canonicalJson([parent.id, role, turn.atMs, blocks, result?.external ?? null]));
      return write(parent, {
        id,
        role,
        atMs: turn.atMs,
        blocks,
        ...(result === null ? {} : { external: result.external }),
      });
    },
  };
}

function portableNode(tree: TreeId, parent: Written | null, draft: Draft): PortableNode {
  const { id, role, atMs, blocks, external } = draft;
  const fields = {
    id,
    tree,
    parent: parent?.id ?? null,
    created_at_ms: atMs,
    step: draft.step ?? null,
    settings: null,
  };
  const hash = sha256From(
    nodeHash(parent?.hash ?? null, {
      ...{ ...fields, role, blocks: canonicalJson(blocks) },
      external: external === undefined ? null : canonicalJson(external),
      meta: null,
    }),
  );
  if (external !== undefined) return { ...fields, kind: 'external', role: 'tool', external, blocks, hash };
  if (role === 'tool') throw new RangeError('a result has an external part');
  return { ...fields, kind: 'text', role, blocks, hash };
}

function thinkingOf({ thinking }: HistoryTurn): Block[] {
  return thinking === '' ? [] : [{ type: 'thinking', text: cut(thinking), signature: null }];
}

function textBlocks(text: string): Block[] {
  return text === '' ? [] : [{ type: 'text', text: cut(text) }];
}

/** What of a call may be too large for the hub. */
function fitting(
  { tool, input, output }: HistoryCall,
  bytesMax: number,
): Pick<HistoryCall, 'tool' | 'input' | 'output'> {
  const shown = output === null ? null : cut(output, bytesMax);
  return { tool: nameOf(tool), input: inputThatFits(input, bytesMax), output: shown };
}

function callBlock({ id, tool, input }: HistoryCall): Block {
  return { type: 'call', id, tool, input };
}

function resultOf(call: HistoryCall, id: string | null, source: string): { blocks: Block[]; external: External } {
  const { tool, input, output } = call;
  const exitCode = call.exitCode ?? (call.failed ? 1 : 0);
  return {
    blocks: [{ type: 'text', text: output ?? UNFINISHED }],
    external: {
      call: { tool, input, id },
      handle: { source, source_version: '1.0.0', identifier: nameOf(call.id), metadata: {} },
      ...{ output: null, signal: null, duration_ms: null, cwd: null },
      exit_code: output === null ? null : exitCode,
    },
  };
}

/** Stores an image, and shows it; one that no model could be shown is told of. */
function storedImage({ base64 }: HistoryImage, records: PortableRecord[]): Block[] {
  const bytes = Buffer.from(base64, 'base64');
  const facts = imageFacts(bytes);
  if (facts === null || bytes.length > IMAGE_BYTES_MAX)
    return [{ type: 'text', text: '[an image that cannot be shown]' }];
  const sha256 = sha256From(createHash('sha256').update(bytes).digest('hex'));
  const data: OutputData[] = [];
  for (let offset = 0; offset < bytes.length; offset += PIECE_BYTES) {
    const piece = bytes.subarray(offset, offset + PIECE_BYTES);
    data.push({ kind: 'output_data', sha256, offset, data: piece.toString('base64') });
  }
  records.push(...data);
  return [{ type: 'image', sha256, ...facts }];
}

/** A text that is longer than a node should hold is cut in the middle, and says so. */
function cut(text: string, bytesMax = TEXT_BYTES_MAX): string {
  return text.length * 3 <= bytesMax ? text : shortened(text, bytesMax).text;
}

/** A name that the protocol takes; it is never empty. */
function nameOf(text: string): string {
  return text === '' ? '-' : text.slice(0, NAME_LENGTH_MAX);
}

/** The name of a tree: one line without signs that are not seen; null for none. */
function treeNameIn(name: string | null): TreeName | null {
  const line = (name ?? '').replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').replace(/^[ @-]+/, '');
  const short = [...line].slice(0, TREE_NAME_MAX).join('').trimEnd();
  return isTreeName(short) ? short : null;
}
