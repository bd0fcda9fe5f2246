import { closeSync, readdirSync, readFileSync } from 'node:fs';

/** Of a descriptor that a new program does not get: all that Node opens itself are so. */
const CLOSED_AT_EXEC = 0o2000000;

/**
 * Closes the descriptors above `last` that came along from whoever happened to start the first process: a process that
 * lives on would keep their files and locks, and so would each of its commands. Linux only.
 */
export function closeInherited(last: number): void {
  if (process.platform !== 'linux') return;
  for (const name of readdirSync('/proc/self/fd')) {
    const fd = Number(name);
    if (fd > last && isInherited(fd)) closeSync(fd);
  }
}

function isInherited(fd: number): boolean {
  try {
    const [, flags = ''] = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1')) ?? [];
    return flags !== '' && (Number.parseInt(flags, 8) & CLOSED_AT_EXEC) === 0;
  } catch {
    return false; // the one that the list itself was read with is closed by now
  }
}
