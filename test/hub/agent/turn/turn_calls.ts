import type { Part } from '../../../support/model/script.js';

/** A call as a model makes it; a text is sent as it stands, JSON or not. */
export function call(id: string, tool: string, input: object | string): Part {
  return { kind: 'call', id, tool, input: typeof input === 'string' ? input : JSON.stringify(input) };
}

export const words = (text: string): Part => ({ kind: 'text', text });
