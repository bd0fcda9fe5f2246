import { onAbort } from '../../hub/base/abort.js';
import { detach, neverFails } from '../../hub/base/detach.js';
import type { CallContext } from '../../hub/base/plugin.js';
import type { CommandEvent } from '../../hub/protocol/methods/tool_methods.js';
import type { BashCommand } from './bash_command.js';

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
