import { emitKeypressEvents, type Key } from 'node:readline';
import { PassThrough } from 'node:stream';

export interface NamedKey {
  name: string;
  ctrl: boolean;
  shift: boolean;
}

const terminal = new PassThrough();
const pressed: Key[] = [];
emitKeypressEvents(terminal);
terminal.on('keypress', (_text, key: Key) => pressed.push(key));

/** The key that readline decodes from a complete sequence; null for none. Readline would wait for the rest of a partial one. */
export function namedKey(sequence: string): NamedKey | null {
  terminal.emit('data', sequence);
  const [key] = pressed.splice(0);
  if (key?.name === undefined || key.name === 'undefined' || key.name.startsWith('paste-')) return null;
  return { name: key.name, ctrl: key.ctrl === true, shift: key.shift === true };
}
