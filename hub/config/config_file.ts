import { closeSync, constants, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import { replaceFile, unwritable } from '../base/disk/durable_file.js';
import { makeFolder } from '../base/disk/make_folder.js';
import { HubError } from '../base/error.js';

/** The largest file that is read. */
const BYTES_MAX = 256 * 1024;

/** One line of a configuration file that sets something; its key is empty when the line is malformed. */
export interface ConfigEntry {
  key: string;
  value: string;
  /** The file and the number of the line. */
  place: string;
}

/** Reads a file of lines `key = value`. One that cannot be read adds a warning and counts as empty. */
export function readConfigFile(file: string, warnings: string[]): ConfigEntry[] {
  return textOrWarning(file, warnings)
    .split('\n')
    .flatMap((line, index) => {
      const key = keyOf(line);
      if (key === null) return [];
      return [{ key, value: line.slice(line.indexOf('=') + 1).trim(), place: `${file}:${index + 1}` }];
    });
}

/** Writes a line into a configuration file, or removes it when the value is null; other lines are unchanged. */
export function writeConfigFile(file: string, key: string, value: string | null): void {
  const others = readText(file)
    .split('\n')
    .filter((line) => keyOf(line) !== key);
  while (others.at(-1)?.trim() === '') others.pop();
  if (value !== null) others.push(`${key} = ${value}`);
  makeFolder(dirname(file));
  replaceOrExplain(file, others.map((line) => `${line}\n`).join(''));
}

function replaceOrExplain(file: string, text: string): void {
  try {
    replaceFile(file, text);
  } catch (error) {
    throw unwritable(file, error);
  }
}

/** The text of a file; empty, with a warning, when it cannot be read. */
function textOrWarning(file: string, warnings: string[]): string {
  try {
    return readText(file);
  } catch (error) {
    warnings.push(`${error instanceof Error ? error.message : file}; it is ignored`);
    return '';
  }
}

function readText(file: string): string {
  if (!existsSync(file)) return '';
  try {
    return readSmallFile(file);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new HubError('invalid_params', `${file} cannot be read: ${reason}`, { cause: error });
  }
}

// A project's own file may be anything, such as a pipe without a writer or an endless device.
function readSmallFile(file: string): string {
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(fd).isFile()) throw new Error('it is not a file');
    const bytes = Buffer.alloc(BYTES_MAX + 1);
    const length = readSync(fd, bytes);
    if (length > BYTES_MAX) throw new Error(`it has more than ${BYTES_MAX} bytes`);
    return bytes.toString('utf8', 0, length);
  } finally {
    closeSync(fd);
  }
}

/** The key that a line sets; null for a blank line or a comment, empty for a malformed line. */
function keyOf(line: string): string | null {
  const text = line.trim();
  if (text === '' || text.startsWith('#')) return null;
  const at = text.indexOf('=');
  const key = text.slice(0, Math.max(at, 0)).trim();
  // Where the equals sign is missing, text before a later one is part of the value, and may be secret.
  return /[\s:]/.test(key) ? '' : key;
}
