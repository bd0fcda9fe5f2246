import { onAbort, raceAbort } from '../../hub/base/abort.js';
import { detach, neverFails } from '../../hub/base/detach.js';
import type { CallContext } from '../../hub/base/plugin.js';
import type { ParsedOf, ResultOf } from '../../hub/protocol/methods/method_table.js';
import type { CommandEvent } from '../../hub/protocol/methods/tool_methods.js';
import type { BashCommand } from './bash_command.js';

/** What is printed in one go arrives in pieces, and a failure is often followed by the end: how long that may take. */
const SETTLE_MS = 250;

/** Emits what a command prints, from an offset until it ends. */
export async function follow(command: BashCommand, context: CallContext, options: { offset: number; paces: boolean }) {
  command.spool.hold();
  try {
    await emitPieces(command, context, options);
  } finally {
    command.spool.close();
  }
}

async function emitPieces(command: BashCommand, context: CallContext, options: { offset: number; paces: boolean }) {
  const { spool } = command;
  const wait = createWait(context.signal);
  const emit = (event: CommandEvent): void => context.emit(event);
  let { offset } = options;
  const advance = (to: number): void => {
    offset = to;
    // The command waits for the reader that started it; others read from the spool what they missed.
    if (options.paces) command.readTo(offset);
  };
  advance(offset);
  while (!context.signal.aborted) {
    const piece = spool.at(offset);
    if (piece === null) {
      if (command.hasEnded()) break;
      await wait(command.nextOutput());
    } else if ('goneBytes' in piece) {
      emit({ kind: 'skipped', offset, bytes: piece.goneBytes });
      advance(offset + piece.goneBytes);
    } else {
      emit({ kind: 'output', from: piece.from, offset, data: piece.bytes.toString('base64') });
      advance(offset + piece.bytes.length);
    }
    if (!context.hasRoom()) await wait(context.drained());
  }
  if (options.paces) command.readTo(null);
}

/** Awaits one promise after another, each until the call is aborted. A race against the abort would keep them all. */
function createWait(signal: AbortSignal): (awaited: Promise<void>) => Promise<void> {
  let wake: (() => void) | null = null;
  onAbort(signal, () => wake?.());
  return (awaited) =>
    new Promise((resolve) => {
      wake = resolve;
      if (signal.aborted) resolve();
      else detach(awaited.then(resolve), neverFails);
    });
}

/** Reads the newest of what a running command has printed from an offset on, once there is something, or the wait is over. */
export async function readOutput(
  command: BashCommand,
  { offset, bytes_max, wait_ms }: Omit<ParsedOf<'bash.read'>, 'id'>,
  signal: AbortSignal,
): Promise<ResultOf<'bash.read'>> {
  const { spool } = command;
  const isNew = (): boolean => spool.totalBytes() > offset;
  spool.hold();
  try {
    if (!isNew() && wait_ms > 0) {
      await waitUntil(command, isNew, AbortSignal.any([signal, AbortSignal.timeout(wait_ms)]));
      await waitUntil(command, () => false, AbortSignal.any([signal, AbortSignal.timeout(SETTLE_MS)]));
    }
    const total_bytes = spool.totalBytes();
    const pieces: Buffer[] = [];
    let at = Math.max(offset, total_bytes - bytes_max);
    let from = at;
    for (let piece = spool.at(at); piece !== null; piece = spool.at(at)) {
      // What the spool has dropped is between its head and its tail: the tail is what is new.
      if ('goneBytes' in piece) {
        pieces.length = 0;
        at += piece.goneBytes;
        from = at;
      } else {
        pieces.push(Buffer.from(piece.bytes));
        at += piece.bytes.length;
      }
    }
    return { data: Buffer.concat(pieces).toString('base64'), offset: from, total_bytes, ended: command.hasEnded() };
  } finally {
    spool.close();
  }
}

/** Waits until something is so, the command ends, or the signal. */
async function waitUntil(command: BashCommand, isSo: () => boolean, signal: AbortSignal): Promise<void> {
  while (!isSo() && !command.hasEnded() && !signal.aborted) {
    await raceAbort(command.nextOutput(), signal, () => signal).catch(() => undefined); // the loop ends with the signal
  }
}
