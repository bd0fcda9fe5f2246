import { appendFileSync, existsSync, renameSync, statSync } from 'node:fs';
import type { Log } from '../base/plugin.js';

/** A log that exceeds this is rotated; one older generation is kept. */
export const LOG_BYTES_MAX = 1024 * 1024;
const LINE_CHARS_MAX = 8_192;

/** Opens a log file of bounded size; lines are `time level message`. */
export function openLog(path: string, clock: () => number): Log {
  let sizeBytes = existsSync(path) ? statSync(path).size : 0;
  return (level, message) => {
    const line = `${new Date(clock()).toISOString()} ${level} ${tidy(message)}\n`;
    try {
      if (sizeBytes + line.length > LOG_BYTES_MAX) {
        renameSync(path, `${path}.1`);
        sizeBytes = 0;
      }
      appendFileSync(path, line, { mode: 0o600 });
      sizeBytes += Buffer.byteLength(line);
    } catch {
      // A full disk must not stop the hub from answering; calls that write report it.
    }
  };
}

// An entry may have several lines, such as a stack trace; all but the first are indented.
function tidy(message: string): string {
  const text = message.length > LINE_CHARS_MAX ? `${message.slice(0, LINE_CHARS_MAX)}…` : message;
  return text.replaceAll('\n', '\n    ').replace(/[^\P{Cc}\n]/gu, '?');
}
