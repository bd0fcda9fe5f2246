import type { ReadStream, WriteStream } from 'node:tty';
import type { Ruler } from '../../render/look/ruler.js';
import { createDrawing } from './draw_frames.js';
import { createKeyboard } from './keyboard.js';
import { createLending } from './lend_to_program.js';
import { createListeners } from './listeners.js';
import type { Reflow } from './reflow.js';
import { UNDO_SCREEN_OF_KILLED } from './sequences.js';
import { listenForSignals } from './signals.js';
import type { Terminal } from './terminal.js';

interface TerminalParts {
  stdin: ReadStream;
  stdout: WriteStream;
  ruler: Ruler;
  /** Null when it is unknown. */
  reflow: Reflow | null;
}

/** Takes a terminal, until it is closed, is gone, or the process ends. */
export function openTerminal({ stdin, stdout, ruler, reflow }: TerminalParts): Terminal {
  const input = createListeners<string>();
  const ends = createListeners<void>();
  let isOpen = true;
  let stopListening = (): void => undefined;
  const drawing = createDrawing({ stdout, ruler, reflow, onTyped: input.emit, onGone: () => lose() });
  const keyboard = createKeyboard(stdin, { text: drawing.sent, end: () => lose() });

  const take = (): void => {
    if (!isOpen) return;
    keyboard.take();
    stopListening = listenForSignals({ leave, stop: suspend, goOn: takeAgain });
    drawing.take();
  };
  const letGo = (): void => {
    stopListening();
    keyboard.letGo();
  };
  const release = (block: 'stays' | 'goes'): void => {
    drawing.release(block);
    letGo();
  };
  const lending = createLending({
    ...{ isOpen: () => isOpen, give: () => release('goes'), take },
    killed: () => stdout.write(UNDO_SCREEN_OF_KILLED),
  });
  const takeAgain = (): void => {
    letGo();
    take();
  };
  const end = (): boolean => {
    const wasOpen = isOpen;
    isOpen = false;
    return wasOpen;
  };
  const leave = (): void => {
    if (end()) release('stays');
  };
  const lose = (): void => {
    if (!end()) return;
    letGo();
    ends.emit();
  };
  const suspend = (): void => {
    // It would be there twice when the job goes on.
    release('goes');
    // The whole job, as the terminal itself does it. It returns when the job goes on, or at once where nobody could continue it.
    process.kill(0, 'SIGTSTP');
    take();
  };

  take();
  return {
    ...drawing,
    onInput: input.add,
    onGone: ends.add,
    suspend: () => (isOpen ? suspend() : undefined),
    runChild: lending.run,
    async close() {
      leave();
      // The child may have left the cursor anywhere.
      if (await lending.end()) stdout.write('\r\n');
    },
  };
}
