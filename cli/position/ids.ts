import { randomUUID } from 'node:crypto';
import type { NodeId, Sha256, TreeId, TurnId } from '../../hub/protocol/node.js';

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

export function isSha256(value: unknown): value is Sha256 {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}
