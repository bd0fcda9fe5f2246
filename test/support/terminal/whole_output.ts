import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { IPty } from 'node-pty';

/** Nothing that a program writes: it comes through the terminal after the last output. */
const END = '\u{10fffd}';

/**
 * Passes on all that a program writes, and lets its exit be told only then. Left alone, libuv takes a terminal whose last program
 * has ended for read after any short read, and node-pty closes it 200 ms after the exit: either loses the last output.
 */
export function readWholeOutput(pty: IPty, onOutput: (text: string) => void): void {
  const socket: unknown = Reflect.get(pty, '_socket');
  if (!(socket instanceof Socket)) throw new Error('node-pty has no socket of its terminal any more');
  const slave = openSync(
    String(Reflect.get(pty, '_pty')),
    constants.O_WRONLY | constants.O_NOCTTY | constants.O_NONBLOCK,
  );
  const destroy = socket.destroy.bind(socket);
  let hasEnded = false;
  let isWhole = false;
  let isToClose = false;

  function allIsRead(): void {
    if (isWhole) return;
    isWhole = true;
    closeSync(slave);
    if (isToClose) destroy();
  }

  // node-pty notes the exit of the process here, before it waits for the terminal to close.
  Reflect.defineProperty(pty, '_boundClose', {
    get: () => hasEnded,
    set() {
      hasEnded = true;
      try {
        writeSync(slave, END);
      } catch {
        allIsRead(); // a terminal that is stopped or gone takes nothing more
      }
    },
  });
  socket.destroy = (error) => {
    isToClose = true;
    return isWhole || !hasEnded ? destroy(error) : socket;
  };
  pty.onData((text) => {
    const output = text.replace(END, '');
    if (output !== '') onOutput(output);
    if (output !== text) allIsRead();
  });
}
