import { createHash, randomUUID } from 'node:crypto';
import type { NodeId, Sha256, TreeId, TreeName, TurnId } from '../../hub/protocol/node.js';

// The protocol's own schemas are not loaded in the client: they would take a good part of its start-up time.
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function isTreeId(value: unknown): value is TreeId {
  return typeof value === 'string' && UUID.test(value);
}

export function isNodeId(value: unknown): value is NodeId {
  return typeof value === 'string' && UUID.test(value);
}

/** A new node's id, made by the client so that a repeated call creates nothing twice. */
export function newNodeId(): NodeId {
  const id: string = randomUUID();
  if (isNodeId(id)) return id;
  throw new RangeError(`${id} is no id`);
}

export function newTreeId(): TreeId {
  const id: string = randomUUID();
  if (isTreeId(id)) return id;
  throw new RangeError(`${id} is no id`);
}

export function isTurnId(value: unknown): value is TurnId {
  return typeof value === 'string' && UUID.test(value);
}

export function newTurnId(): TurnId {
  const id: string = randomUUID();
  if (isTurnId(id)) return id;
  throw new RangeError(`${id} is no id`);
}

/** Whether a text may be the name of a tree, by a rule that is narrower than that of the protocol. */
export function isTreeName(value: unknown): value is TreeName {
  return typeof value === 'string' && /^(?![@\s-])[^\p{C}\p{Zl}\p{Zp}]{1,200}(?<!\s)$/u.test(value);
}

export function isSha256(value: unknown): value is Sha256 {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

/** The id that a node with this content has, always the same: a UUID of version 8. */
export function nodeIdOf(content: string): NodeId {
  const id = contentUuid(content);
  if (isNodeId(id)) return id;
  throw new RangeError(`${id} is no id`);
}

export function treeIdOf(content: string): TreeId {
  const id = contentUuid(content);
  if (isTreeId(id)) return id;
  throw new RangeError(`${id} is no id`);
}

function contentUuid(content: string): string {
  const hex = createHash('sha256').update(content).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

export function sha256From(hex: string): Sha256 {
  if (isSha256(hex)) return hex;
  throw new RangeError(`${hex} is no SHA-256`);
}
