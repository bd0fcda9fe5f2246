import { closeSync, fstatSync, fsyncSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { replaceFile } from '../../../../hub/base/disk/durable_file.js';
import { withFileLock } from '../../../files/file_lock.js';
import { type Content, textOfContent } from '../state/buffer.js';
import { parseContent } from './content_text.js';

const ENTRIES_MAX = 10_000;
const BYTES_MAX = 4 * 1024 * 1024;
// A larger entry would displace all others.
const ENTRY_BYTES_MAX = 1024 * 1024;
// The share that stays when the file is too large, so that it is not rewritten at every message.
const KEPT_SHARE = 0.75;
// Bounds the read when another program has written the file.
const READ_BYTES_MAX = 2 * BYTES_MAX;

/** Whether a message goes into the history: not a repetition, and not one that begins with a blank on purpose. */
export function isKept(text: string, previous: string | undefined): boolean {
  return text.trim() !== '' && !text.startsWith(' ') && text !== previous;
}

/** The messages of a history file, the oldest first. Unreadable lines are skipped. */
export function loadHistory(path: string): Content[] {
  return readableLines(path)
    .map(parseContent)
    .filter((content) => content !== null)
    .slice(-ENTRIES_MAX);
}

function readableLines(path: string): string[] {
  try {
    return linesOf(path);
  } catch {
    return []; // a chat starts without a history; the next append reports the failure
  }
}

/** Appends a message to the history file. Safe for concurrent terminals. */
export async function appendHistory(path: string, content: Content): Promise<void> {
  const line = JSON.stringify(content);
  const text = textOfContent(content);
  if (!isKept(text, undefined) || Buffer.byteLength(line) > ENTRY_BYTES_MAX) return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  await withFileLock(`${path}.lock`, () => {
    const lines = linesOf(path);
    const last = parseContent(lines.at(-1) ?? '');
    if (last !== null && textOfContent(last) === text) return;
    if (isFull(lines, line)) replaceFile(path, newest([...lines, line]));
    else append(path, line);
  });
}

function isFull(lines: readonly string[], line: string): boolean {
  const bytes = lines.reduce((sum, kept) => sum + Buffer.byteLength(kept) + 1, Buffer.byteLength(line) + 1);
  return lines.length >= ENTRIES_MAX || bytes > BYTES_MAX;
}

function newest(lines: readonly string[]): string {
  const kept: string[] = [];
  let bytes = 0;
  for (const line of lines.slice(-ENTRIES_MAX * KEPT_SHARE).reverse()) {
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > BYTES_MAX * KEPT_SHARE) break;
    if (parseContent(line) !== null) kept.push(line);
  }
  return kept
    .reverse()
    .map((line) => `${line}\n`)
    .join('');
}

function append(path: string, line: string): void {
  const file = openSync(path, 'a+', 0o600);
  try {
    // Ends a partial line of a killed writer, so that only that line is lost.
    const { size } = fstatSync(file);
    const isEnded = size === 0 || readAt(file, size - 1, 1).toString() === '\n';
    writeSync(file, `${isEnded ? '' : '\n'}${line}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function linesOf(path: string): string[] {
  const file = openIfThere(path);
  if (file === null) return [];
  try {
    const { size } = fstatSync(file);
    const start = Math.max(0, size - READ_BYTES_MAX);
    const lines = readAt(file, start, size - start)
      .toString('utf8')
      .split('\n');
    // The first line of a partial read is cut.
    return lines.slice(start > 0 ? 1 : 0).filter((line) => line !== '');
  } finally {
    closeSync(file);
  }
}

function readAt(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, position));
}

function openIfThere(path: string): number | null {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
