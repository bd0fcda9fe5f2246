import type { NodeId, Sha256, TreeId } from '../hub/protocol/node.js';

// The protocol's own schemas are not loaded in the client: they would take a good part of its start-up time.
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function isTreeId(value: unknown): value is TreeId {
  return typeof value === 'string' && UUID.test(value);
}

export function isNodeId(value: unknown): value is NodeId {
  return typeof value === 'string' && UUID.test(value);
}

export function isSha256(value: unknown): value is Sha256 {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}
