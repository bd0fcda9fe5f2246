import { allowed, wantsWriting } from './page_methods.js';

export const REQUEST_BYTES_MAX = 2 * 1024 * 1024;

/** What a page asks, once it is known to be harmless. */
export type PageRequest =
  | { kind: 'hub'; frame: string }
  | { kind: 'process'; id: number; method: string; params: Record<string, unknown> }
  /** It is answered with an error. */
  | { kind: 'refused'; id: number; message: string }
  /** Our page never sends it: the socket is closed. */
  | { kind: 'foreign'; reason: string };

/**
 * Parses one request of a page, checks it and writes it anew: what reaches the hub is what was checked, letter for letter. Whatever
 * JSON.stringify would not have written is foreign, such as a key that stands twice.
 */
export function readRequest(text: string, canWrite: boolean): PageRequest {
  const message = canonical(text);
  if (!isObject(message) || Object.keys(message).join() !== 'jsonrpc,id,method,params')
    return { kind: 'foreign', reason: 'this is no single request as JSON.stringify writes it' };
  const { jsonrpc, id, method, params } = message;
  if (jsonrpc !== '2.0' || typeof method !== 'string' || !isObject(params) || !isId(id))
    return { kind: 'foreign', reason: 'this is no request' };
  const rule = allowed(method, canWrite);
  if (rule === null) return { kind: 'refused', id, message: refusalOf(method, canWrite) };
  const strange = Object.keys(params).find((name) => !rule.parameters.includes(name));
  if (strange !== undefined)
    return { kind: 'refused', id, message: `a page cannot give ${JSON.stringify(strange)} to ${method}` };
  if (rule.by === 'process') return { kind: 'process', id, method, params };
  return { kind: 'hub', frame: JSON.stringify({ jsonrpc: '2.0', id, method, params }) };
}

/** The value of a text that JSON.stringify would have written; null for any other, and for what is nested without end. */
function canonical(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text ? value : null;
  } catch {
    return null; // the caller closes the socket
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isId(id: unknown): id is number {
  return typeof id === 'number' && Number.isSafeInteger(id) && id > 0;
}

function refusalOf(method: string, canWrite: boolean): string {
  if (!canWrite && wantsWriting(method)) return 'this page can only read: it was opened without --write';
  return `a page cannot call ${JSON.stringify(method.slice(0, 100))}`;
}
