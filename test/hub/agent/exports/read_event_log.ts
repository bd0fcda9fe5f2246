import { readFileSync } from 'node:fs';
import { LogLine } from '../../../../hub/protocol/event_log.js';

/** Reads a log back, as any program may. A last line without an end was cut off by a crash, and is left out. */
export function readEventLog(path: string): LogLine[] {
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((text, index) => {
    const line = LogLine.safeParse(JSON.parse(text)).data;
    if (line === undefined) throw new Error(`${path}:${index + 1} is no line of a log`);
    return line;
  });
}
