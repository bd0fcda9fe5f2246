import { createHash } from 'node:crypto';
import type { SharedBody } from '../../hub/protocol/methods/sharing_methods.js';
import type { ReadContext } from '../paging/read_context.js';
import type { Slices } from '../paging/slices.js';
import type { ReadParams } from '../read/read_methods.js';
import { canonicalJson } from '../store/canonical_json.js';
import { nodeHash } from '../store/node_hash.js';
import { isPossible } from '../write/import_nodes.js';
import { invalid } from '../write/write_operation.js';

type Params = ReadParams['loom.share_check'];
type Records = Extract<SharedBody, { records: unknown }>['records'];
type PortableNode = Extract<Records[number], { kind: 'node' }>['node'];

interface Known {
  tree: string;
  /** The hashes of nodes by their ids. */
  hashes: Map<string, string>;
  settings: Set<string>;
}

/** Proves entries as taking them would, from what they say and stand on alone. */
export function* checkEntries(_: ReadContext, { tree, bodies, nodes, settings }: Params): Slices<string> {
  const known: Known = { tree, hashes: new Map(nodes.map(({ id, hash }) => [id, hash])), settings: new Set(settings) };
  for (const body of bodies) {
    if ('register' in body) checkRegister(known, body.register);
    else checkRecords(known, body.records);
    yield;
  }
  return '{}';
}

function checkRegister({ hashes }: Known, register: Extract<SharedBody, { register: unknown }>['register']): void {
  let node: string | null = null;
  if (register.of === 'mark') node = register.value;
  if (register.of === 'branch') node = register.node;
  if (node !== null && !hashes.has(node)) throw invalid(`it points at node ${node}, which is not there`);
}

function checkRecords(known: Known, records: Records): void {
  let before: PortableNode | null = null;
  for (const record of records) {
    if (record.kind === 'settings') checkSettings(known, record);
    else if (record.kind === 'node') {
      if (isInsideStep(before) !== continuesStep(before, record.node)) throw tornStep(record.node);
      checkNode(known, record.node);
      before = record.node;
    } else if (record.kind !== 'tree' || record.tree.id !== known.tree) {
      throw invalid(`it has a ${record.kind} that is not of this tree`);
    }
  }
  if (before !== null && isInsideStep(before)) throw tornStep(before);
}

function checkSettings({ settings }: Known, record: Extract<Records[number], { kind: 'settings' }>): void {
  const sha256 = createHash('sha256').update(canonicalJson(record.settings)).digest('hex');
  if (sha256 !== record.sha256) throw invalid(`settings ${record.sha256} do not match their hash`);
  settings.add(record.sha256);
}

function checkNode({ tree, hashes, settings }: Known, node: PortableNode): void {
  if (node.tree !== tree) throw invalid(`node ${node.id} is not of tree ${tree}`);
  if (!isPossible(node)) throw invalid(`node ${node.id} is of a form that no home can have made`);
  if (node.parent === null && node.id !== tree) throw invalid(`node ${node.id} has no parent and is not the root`);
  const parentHash = node.parent === null ? null : hashes.get(node.parent);
  if (parentHash === undefined) throw invalid(`node ${node.id} comes before its parent`);
  if (node.settings !== null && !settings.has(node.settings))
    throw invalid(`node ${node.id} comes before its settings`);
  const hash = nodeHash(parentHash, {
    ...node,
    blocks: canonicalJson(node.blocks),
    external: node.kind === 'external' ? canonicalJson(node.external) : null,
    meta: node.meta === undefined ? null : canonicalJson(node.meta),
  });
  if (hash !== node.hash) throw invalid(`node ${node.id} does not match its hash`);
  hashes.set(node.id, hash);
}

function isInsideStep(node: PortableNode | null): boolean {
  return node !== null && node.step !== null && node.step.index < node.step.size - 1;
}

function continuesStep(before: PortableNode | null, { step, parent }: PortableNode): boolean {
  if (step === null || step.index === 0) return false;
  return before?.step?.id === step.id && before.step.index === step.index - 1 && before.id === parent;
}

function tornStep({ id, step }: PortableNode): Error {
  return invalid(`step ${step?.id ?? id} is not whole`);
}
