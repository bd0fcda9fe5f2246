import { closeSync, constants, existsSync, mkdirSync, open, openSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { detach, neverFails } from '../../hub/base/detach.js';

/** Files that are kept ready: creating one may wait for a busy disk, renaming one hardly does. */
const READY = 8;
const FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND;
const MODE = 0o600;

/** An empty file, open for appending and reading. The taker owns it and its name. */
export interface SpareFile {
  fd: number;
  path: string;
}

/** Empty files in a private folder. */
export interface SpareFiles {
  take(): SpareFile;
  close(): void;
}

/** Makes a supply of such files in a private folder. */
export function openSpareFiles(folder: string): SpareFiles {
  const ready: SpareFile[] = [];
  let isFilling = false;
  let isClosed = false;
  let made = 0;

  function nextPath(): string {
    made += 1;
    return join(folder, `spare-${made}`);
  }

  async function fill(): Promise<void> {
    if (isFilling) return;
    isFilling = true;
    try {
      while (ready.length < READY && !isClosed) await add();
    } catch {
      // A caller that finds none ready makes one, and gets the failure.
    } finally {
      isFilling = false;
    }
  }

  async function add(): Promise<void> {
    const path = nextPath();
    // A FileHandle would close the file when it is garbage-collected.
    ready.push({ fd: await promisify(open)(path, FLAGS, MODE), path });
  }

  function makeNow(): SpareFile {
    // The folder may have been cleared.
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const path = nextPath();
    return { fd: openSync(path, FLAGS, MODE), path };
  }

  detach(fill(), neverFails);
  return {
    take() {
      for (;;) {
        const file = ready.shift() ?? makeNow();
        detach(fill(), neverFails);
        if (existsSync(file.path)) return file;
        // The folder was cleared.
        closeSync(file.fd);
      }
    },
    close() {
      isClosed = true;
      for (const { fd } of ready.splice(0)) closeSync(fd);
    },
  };
}
