import { HubError } from '../../base/error.js';
import { cliCommand } from '../../base/hint.js';
import { callHub, type InternalCaller, pathPages } from '../../base/internal_call.js';
import { blocksOfType } from '../../base/node_blocks.js';
import { keptAbove, sentPath } from '../../base/path/sent_path.js';
import { RawJson } from '../../base/plugin.js';
import { FRAME_BYTES_MAX } from '../../protocol/limits.js';
import type { Node, NodeId, Settings, Sha256 } from '../../protocol/node.js';
import { bindingOf, newestSettings, type Prompt, promptOf, signingSettings } from './prompt.js';

/** Fits one answer of the hub, and is more than any model accepts. */
const BYTES_MAX = FRAME_BYTES_MAX / 2;

/** The content of a request for a node; a node inside a step stands for the step's end. */
export async function modelContext(reach: InternalCaller, node: NodeId): Promise<RawJson> {
  const { step_end } = await callHub(reach, 'loom.node_get', { node, tree: null });
  const path = await sentNodes(reach, step_end);
  const settings = await settingsOf(reach, path);
  const { left_out, ...prompt } = promptOf(path.nodes, settings);
  const json = JSON.stringify(prompt);
  const size_bytes = Buffer.byteLength(json);
  if (size_bytes > BYTES_MAX) throw tooLong(node);
  const counts = { size_bytes, images: imagesIn(prompt.messages), left_out: left_out + path.dropped };
  // Megabytes of messages are serialised only once.
  return new RawJson(`${json.slice(0, -1)},${JSON.stringify(counts).slice(1)}`);
}

/** The sent part of a path. */
export interface SentNodes {
  /** From the newest summary on, in the order in which they are sent. */
  nodes: Node[];
  /** How many nodes were before it, without the root. */
  dropped: number;
  /** The newest settings of all the path. */
  newest: Sha256 | null;
}

/** Reads a path from its newest summary on; one with a damaged node is refused. */
export async function sentNodes(reach: InternalCaller, node: NodeId): Promise<SentNodes> {
  const sent = await readSent(reach, node);
  const damaged = sent.nodes.find((one) => one.damaged === true);
  if (damaged !== undefined) throw damagedError(damaged);
  return sent;
}

async function readSent(reach: InternalCaller, node: NodeId): Promise<SentNodes> {
  const reading: Reading = { nodes: [], dropped: 0, bytes: 0, isTooMuch: false };
  let newest: Sha256 | null = null;
  for await (const { nodes } of pathPages(reach, node)) {
    newest = newestSettings(nodes) ?? newest;
    for (const one of nodes) takeNode(reading, one);
  }
  if (reading.isTooMuch) throw tooLong(node);
  return { nodes: sentPath(reading.nodes), dropped: reading.dropped, newest };
}

interface Reading extends Pick<SentNodes, 'nodes' | 'dropped'> {
  bytes: number;
  isTooMuch: boolean;
}

function takeNode(reading: Reading, node: Node): void {
  if (node.role === 'root') return;
  if (node.role === 'summary') dropBefore(reading, node);
  reading.bytes += sizeOf(node.blocks);
  // A later summary may still replace all this.
  reading.isTooMuch ||= reading.bytes > BYTES_MAX;
  if (reading.isTooMuch) reading.dropped += 1;
  else reading.nodes.push(node);
}

/** Leaves what a summary keeps of the nodes before it; of a path that is too long its end is not there. */
function dropBefore(reading: Reading, summary: Node): void {
  const kept = reading.isTooMuch ? [] : [...keptAbove(reading.nodes, summary)];
  reading.dropped += reading.nodes.length - kept.length;
  reading.nodes = kept;
  reading.bytes = kept.reduce((sum, { blocks }) => sum + sizeOf(blocks), 0);
  reading.isTooMuch = false;
}

/** The newest settings of a path, unless a file brought them and nobody trusts them, and what the thinking on it is bound to. */
export async function settingsOf(reach: InternalCaller, { nodes, newest }: SentNodes) {
  const bindings = new Map<Sha256, string>();
  let current: Settings | null = null;
  for (const sha256 of new Set([...signingSettings(nodes), ...(newest === null ? [] : [newest])])) {
    const { settings, untrusted } = await callHub(reach, 'loom.settings_get', { sha256 });
    bindings.set(sha256, bindingOf(settings));
    if (sha256 === newest && !untrusted) current = settings;
  }
  return { current, bindings };
}

function imagesIn(messages: Prompt['messages']): number {
  const contents = messages.flatMap(({ content }) => content);
  const blocks = contents.flatMap((part) => (part.type === 'result' ? part.content : [part]));
  return blocksOfType(blocks, 'image').length;
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function damagedError({ id, tree, parent }: Node): HubError {
  const above = (parent ?? id).slice(0, 8);
  return new HubError(
    'storage_failed',
    `node ${id.slice(0, 8)} on this path is damaged, so no model is sent any of it`,
    {
      hint: [
        'go on before it: ',
        cliCommand('ask', tree.slice(0, 8), '"message"', '--at', above),
        ', or restore a backup',
      ],
      details: { node: id },
    },
  );
}

function tooLong(node: NodeId): HubError {
  return new HubError('context_too_long', `the path to ${node} has more text than any model takes`, {
    hint: 'fork above the largest outputs, or add a summary',
  });
}
