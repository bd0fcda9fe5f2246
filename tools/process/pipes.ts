import { execFile } from 'node:child_process';
import { closeSync, constants, existsSync, mkdirSync, openSync, rmSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { detach } from '../../hub/base/detach.js';
import { HubError } from '../../hub/base/error.js';

const BATCH = 64;
const LOW = 16;

/** Both ends of a pipe of the kernel. */
export interface Pipe {
  readFd: number;
  writeFd: number;
}

/**
 * Pipes for the output of commands. Node itself only makes socket pairs, which cannot be opened by name: with
 * them `echo x > /dev/stderr` would fail. So named pipes are made ahead of time, many at once, and unlinked when opened.
 */
export interface PipePool {
  take(): Promise<Pipe>;
  close(): void;
}

export async function openPipePool(folder: string): Promise<PipePool> {
  const names: string[] = [];
  let filling: Promise<void> | null = null;
  let made = 0;

  async function make(): Promise<void> {
    const fresh = Array.from({ length: BATCH }, (_, index) => join(folder, String(made + index)));
    made += BATCH;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    await promisify(execFile)('mkfifo', ['-m', '600', ...fresh]);
    names.push(...fresh);
  }

  function fill(): Promise<void> {
    filling ??= make().finally(() => {
      filling = null;
    });
    return filling;
  }

  async function nextName(): Promise<string> {
    for (;;) {
      const name = names.shift();
      // A failure in the background is reported to the caller that it leaves without a pipe.
      if (names.length < LOW) detach(fill(), () => undefined);
      if (name !== undefined) return name;
      await fill().catch((cause: unknown) => {
        throw new HubError('limit', 'no pipe can be made for what the command prints', {
          hint: `is there room in ${folder}, and is mkfifo installed?`,
          retryable: true,
          cause,
        });
      });
    }
  }

  await fill();
  return {
    async take() {
      for (;;) {
        const pipe = openPipe(await nextName());
        if (pipe !== null) return pipe;
        // The folder was cleared: the other names are gone as well.
        names.length = 0;
      }
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Null when the name no longer exists. */
function openPipe(name: string): Pipe | null {
  if (!existsSync(name)) return null;
  const readFd = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const writeFd = openSync(name, constants.O_WRONLY);
    unlinkSync(name);
    return { readFd, writeFd };
  } catch (error) {
    closeSync(readFd);
    throw error;
  }
}
