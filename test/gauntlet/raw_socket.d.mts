import type { Socket } from 'node:net';

export function openRaw(path: string): Promise<Socket>;
export function frame(
  payload: string | Uint8Array,
  options?: { opcode?: number; fin?: boolean; length?: number | null; masked?: boolean },
): Buffer;
export function call(method: string, params: unknown, id?: string | number): Buffer;
