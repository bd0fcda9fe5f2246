import type { PortableNode, Sha256 } from '../../hub/protocol/node.js';
import type { PortableRecord } from './export_records.js';

/** A line of an export: its record, or why it has none. */
export type ReadLine = { line: number; record: PortableRecord } | { line: number; reason: string };

/** A line that was left out. */
export interface SkippedLine {
  line: number;
  reason: string;
}

/** What was left out: all of it counted, the first lines kept. */
export interface Skipped {
  count: number;
  first: SkippedLine[];
}

const KEPT_MAX = 1_000;

interface Reading {
  skipped: Skipped;
  tree: string | null;
  nodes: Set<string>;
  settings: Set<string>;
  /** The nodes of a step that is not whole yet. */
  step: NodeLine[];
  /** How much of each stored output has come; null once a piece of it was missing. */
  outputs: Map<Sha256, number | null>;
}

type NodeLine = { line: number; record: Extract<PortableRecord, { kind: 'node' }> };

/**
 * The records that can be imported when some lines are bad: what stands on a bad one, such as the nodes below a missing node, is left
 * out as well. While every line is good they are passed on as they are, so that the hub says what is wrong with them.
 */
export async function* soundRecords(lines: AsyncIterable<ReadLine>, skipped: Skipped): AsyncGenerator<PortableRecord> {
  const reading: Reading = {
    ...{ skipped, tree: null, nodes: new Set(), settings: new Set(), step: [], outputs: new Map() },
  };
  for await (const line of lines) {
    if ('reason' in line) skip(reading, line.line, line.reason);
    else if (line.record.kind === 'node') yield* nodesWith(reading, { line: line.line, record: line.record });
    else {
      yield* unfinishedStep(reading);
      const missing = missingFor(reading, line.record);
      if (missing === null) yield line.record;
      else skip(reading, line.line, missing);
    }
  }
  yield* unfinishedStep(reading);
}

function skip({ skipped }: Reading, line: number, reason: string): void {
  skipped.count += 1;
  if (skipped.first.length < KEPT_MAX) skipped.first.push({ line, reason });
}

/** Passes on a node, with the rest of its step once that is whole. */
function* nodesWith(reading: Reading, line: NodeLine): Generator<PortableRecord> {
  const { node } = line.record;
  const { step } = reading;
  const index = node.step?.index ?? 0;
  if (step.length > 0 && !goesOn(step, node)) yield* unfinishedStep(reading);
  const missing = missingAbove(reading, node);
  if (missing !== null) return skip(reading, line.line, missing);
  reading.step.push(line);
  if (index + 1 < (node.step?.size ?? 1)) return;
  yield* released(reading);
}

function goesOn(step: readonly NodeLine[], { step: place }: PortableNode): boolean {
  const last = step.at(-1)?.record.node.step;
  return place !== null && last?.id === place.id && last.index + 1 === place.index;
}

/** What a node stands on and the file does not have; null also while no line was bad. */
function missingAbove({ skipped, tree, nodes, settings, step }: Reading, node: PortableNode): string | null {
  if (skipped.count === 0) return null;
  if (node.tree !== tree) return 'its conversation is missing';
  const isBelowStep = step.at(-1)?.record.node.id === node.parent;
  if (node.parent !== null && !nodes.has(node.parent) && !isBelowStep) return 'the node above it is missing';
  if (node.step !== null && node.step.index > 0 && !isBelowStep) return 'the beginning of its step is missing';
  return node.settings === null || settings.has(node.settings) ? null : 'its settings are missing';
}

function* released(reading: Reading): Generator<PortableRecord> {
  for (const { record } of reading.step) {
    reading.nodes.add(record.node.id);
    yield record;
  }
  reading.step = [];
}

/** A step whose rest does not come: left out where a line was bad, else for the hub to refuse. */
function* unfinishedStep(reading: Reading): Generator<PortableRecord> {
  if (reading.skipped.count === 0) return yield* released(reading);
  for (const { line } of reading.step) skip(reading, line, 'its step is not whole');
  reading.step = [];
}

type Other = Exclude<PortableRecord, { kind: 'node' }>;

/** Notes a record, and says what is missing for it. */
function missingFor(reading: Reading, record: Other): string | null {
  const isHurt = reading.skipped.count > 0;
  switch (record.kind) {
    case 'tree':
      reading.tree = record.tree.id;
      reading.nodes.clear();
      reading.settings.clear();
      return null;
    case 'settings':
      reading.settings.add(record.sha256);
      return isHurt && reading.tree === null ? 'its conversation is missing' : null;
    case 'mark':
    case 'archived':
      return isHurt && !reading.nodes.has(record.node) ? 'its node is missing' : null;
    case 'output':
      return isHurt && reading.tree === null ? 'its conversation is missing' : null;
    case 'files':
      return isHurt && !reading.nodes.has(record.node) ? 'its node is missing' : null;
    case 'pack_data':
      // A pack that lacks a piece is refused as a whole.
      return null;
    case 'output_data':
      return missingPiece(reading, record);
  }
}

/** Of an output that lacks a piece the rest is no use. */
function missingPiece({ skipped, outputs }: Reading, record: Extract<Other, { kind: 'output_data' }>): string | null {
  const expected = outputs.get(record.sha256);
  const fits = record.offset === 0 || expected === record.offset;
  const end = record.offset + Buffer.byteLength(record.data, 'base64');
  outputs.set(record.sha256, fits ? end : null);
  return fits || skipped.count === 0 ? null : 'an earlier piece of its output is missing';
}
