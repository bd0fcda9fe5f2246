import { constants } from 'node:fs';
import { rename } from 'node:fs/promises';
import { HubError } from '../../base/error.js';
import { type LogHeader, LogLine } from '../../protocol/event_log.js';
import { FRAME_BYTES_MAX } from '../../protocol/limits.js';
import { lastIndexOf, lineAt, nullIfMissing, withFile, writeEnd } from './text_file.js';

/** A node travels in one frame; its line has little more. */
const LINE_BYTES_MAX = FRAME_BYTES_MAX * 2;
const { O_RDONLY, O_RDWR, O_CREAT, O_NOFOLLOW } = constants;

/** How far the log of a tree goes. */
export interface LogEnd {
  header: LogHeader;
  /** The number of the last node that it holds; 0 for none. */
  seq: number;
  /** Where the last full line ends: a crash cut off what stands behind it. */
  sizeBytes: number;
}

/** Reads how far a log goes; null when there is none, or the file is no log. */
export function readLogEnd(path: string): Promise<LogEnd | null> {
  return withFile(path, O_RDONLY | O_NOFOLLOW, async (file) => {
    const sizeBytes = (await lastIndexOf(file, '\n', (await file.stat()).size)) + 1;
    const header = parseLine(await lineAt(file, 0, LINE_BYTES_MAX));
    if (header?.kind !== 'header') return null;
    const start = (await lastIndexOf(file, '\n', sizeBytes - 1)) + 1;
    if (start === 0) return { header, seq: 0, sizeBytes };
    const last = parseLine(await lineAt(file, start, LINE_BYTES_MAX));
    return last?.kind === 'node' ? { header, seq: last.seq, sizeBytes } : null;
  }).catch(nullIfMissing);
}

/** Begins a log anew. A file that was there and is no log of this tree is set aside. */
export async function beginLog(path: string, header: LogHeader): Promise<LogEnd> {
  await rename(path, `${path}.old`).catch(nullIfMissing);
  return appendLines(path, { header, seq: 0, sizeBytes: 0 }, [header]);
}

/** Writes lines where the last full one ends. A failure leaves no part of a line. */
export function appendLines(path: string, end: LogEnd, lines: readonly LogLine[]): Promise<LogEnd> {
  const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return withFile(path, O_RDWR | O_CREAT | O_NOFOLLOW, async (file) => {
    if ((await file.stat()).size < end.sizeBytes) {
      throw new HubError('conflict', `${path} was changed by another program`);
    }
    await writeEnd(file, end.sizeBytes, { bytes, rest: '' });
    const last = lines.at(-1);
    return { ...end, sizeBytes: end.sizeBytes + bytes.length, seq: last?.kind === 'node' ? last.seq : end.seq };
  });
}

function parseLine(text: string | null): LogLine | null {
  try {
    return text === null ? null : (LogLine.safeParse(JSON.parse(text)).data ?? null);
  } catch {
    return null; // not even JSON
  }
}
