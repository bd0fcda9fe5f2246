import { openFileReference } from '../../../input/file_reference.js';

/** What can be completed before the cursor. */
export type Trigger =
  | { kind: 'file'; start: number; query: string }
  | { kind: 'command'; start: number; query: string }
  | { kind: 'argument'; start: number; query: string; command: string; words: readonly string[] };

const COMMAND = /^\/(\S*)$/;
const ARGUMENT = /^\/(\S+)\s([^\n]*)$/;

/** Finds what can be completed at the cursor. */
export function triggerAt(text: string, cursor: number): Trigger | null {
  const file = openFileReference(text, cursor);
  if (file !== null) return { kind: 'file', ...file };
  if (!text.startsWith('/')) return null;
  const head = text.slice(0, cursor);
  const [, query] = COMMAND.exec(head) ?? [];
  if (query !== undefined && cursor > 0) return { kind: 'command', start: 0, query };
  const [, command, rest] = ARGUMENT.exec(head) ?? [];
  if (command === undefined || rest === undefined) return null;
  const words = rest.split(/\s+/);
  const last = words.pop() ?? '';
  const before = words.filter((word) => word !== '');
  return { kind: 'argument', start: cursor - last.length, query: last, command, words: before };
}
