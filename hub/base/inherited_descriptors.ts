import { closeSync, readdirSync, readFileSync } from 'node:fs';

/** The close-on-exec flag, which Node sets on every descriptor that it opens itself. */
const CLOSED_AT_EXEC = 0o2000000;

/**
 * Closes the descriptors above `last` that were inherited from the starter of the process: a long-lived process
 * would keep their files and locks open, and so would each of its commands. Linux only.
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
    return false; // the descriptor of the directory listing itself is closed by now
  }
}
