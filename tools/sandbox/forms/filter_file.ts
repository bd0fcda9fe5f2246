import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { valueOrNull } from '../attempt.js';
import { callFilter } from '../filter/call_filter.js';
import { processorHere } from '../filter/system_calls.js';

/** The filter of system calls as a file in cognition's home: programs take it from a descriptor. */
export interface FilterFile {
  /** The path of the file, which is made where it is not; null where calls cannot be filtered. */
  path(): string | null;
}

export function filterFileIn(home: string): FilterFile {
  const path = join(home, 'call-filter');
  const processor = canFilterCalls() ? processorHere() : null;
  const bytes = processor === null ? null : callFilter(processor);
  let isWritten = false;
  return {
    path() {
      if (bytes === null) return null;
      if (isWritten && valueOrNull(() => statSync(path).size) === bytes.length) return path;
      writeFileSync(`${path}.${process.pid}`, bytes, { mode: 0o600 });
      renameSync(`${path}.${process.pid}`, path);
      isWritten = true;
      return path;
    },
  };
}

/** Whether this kernel filters system calls, and their numbers are known here. */
export function canFilterCalls(): boolean {
  const status = valueOrNull(() => readFileSync('/proc/self/status', 'utf8')) ?? '';
  return processorHere() !== null && /^Seccomp:/m.test(status);
}
