import { closeSync, constants, mkdirSync, openSync, unlinkSync } from 'node:fs';
import { open, unlink } from 'node:fs/promises';
import { join } from 'node:path';

/** Files that are ready before somebody asks: making one can wait for a busy disk. */
const READY = 8;
const FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND;
const MODE = 0o600;

/** Empty files without a name, which nobody else can open and which are gone with whoever holds them. */
export interface NamelessFiles {
  /** The descriptor of one; it belongs to the caller. */
  take(): number;
  close(): void;
}

/** Makes a supply of such files in a private folder. */
export function openNamelessFiles(folder: string): NamelessFiles {
  const ready: number[] = [];
  let isFilling = false;
  let isClosed = false;
  let made = 0;

  function nextPath(): string {
    made += 1;
    return join(folder, `nameless-${made}`);
  }

  async function fill(): Promise<void> {
    if (isFilling) return;
    isFilling = true;
    try {
      while (ready.length < READY && !isClosed) await add();
    } catch {
      // Whoever finds none ready makes one, and is told why that fails.
    } finally {
      isFilling = false;
    }
  }

  async function add(): Promise<void> {
    const path = nextPath();
    const file = await open(path, FLAGS, MODE);
    await unlink(path);
    ready.push(file.fd);
    kept.add(file);
  }

  function now(): number {
    // Whoever clears the folder takes nothing from the next command.
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const path = nextPath();
    const fd = openSync(path, FLAGS, MODE);
    unlinkSync(path);
    return fd;
  }

  return { take: now, close: () => undefined };
}
