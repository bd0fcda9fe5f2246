import type { Writable } from 'node:stream';
import { createCleaner } from '../render/text/clean.js';

/** Where the bytes of a command go. */
export interface RawOutput {
  /** Resolves when more may be written. */
  write(bytes: Uint8Array): Promise<void>;
  /** Writes what was held back. */
  end(): Promise<void>;
  /** From now on output that cannot be written at once is dropped. */
  hurry(): void;
}

/** Passes bytes on exactly as they are; on a terminal as text without control sequences. */
export function rawOutput(stream: Writable & { isTTY?: boolean }): RawOutput {
  const prepare = stream.isTTY === true ? cleaned() : exact;
  let isHurried = false;
  let draining: Promise<void> | null = null;
  let resolveHurry = (): void => undefined;
  const hurry = new Promise<void>((resolve) => {
    resolveHurry = resolve;
  });
  const pass = async (data: string | Uint8Array): Promise<void> => {
    if (data.length === 0 || stream.destroyed || (isHurried && stream.writableNeedDrain)) return;
    if (stream.write(data)) return;
    // Further pieces arrive meanwhile; all of them wait for the same drain.
    draining ??= drained(stream).then(() => {
      draining = null;
    });
    await Promise.race([draining, hurry]);
  };
  return {
    write: (bytes) => pass(prepare(bytes)),
    end: () => pass(prepare(null)),
    hurry() {
      isHurried = true;
      resolveHurry();
    },
  };
}

/** Resolves at the next drain. A stream that fails ends the program by its error listener. */
function drained(stream: Writable): Promise<void> {
  return new Promise((resolve) => stream.once('drain', resolve));
}

type Prepare = (bytes: Uint8Array | null) => string | Uint8Array;

const exact: Prepare = (bytes) => bytes ?? '';

function cleaned(): Prepare {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const cleaner = createCleaner();
  return (bytes) => {
    if (bytes !== null) return cleaner.take(decoder.decode(bytes, { stream: true }));
    return cleaner.take(decoder.decode()) + cleaner.end();
  };
}
