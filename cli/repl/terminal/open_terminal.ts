import { spawn } from 'node:child_process';
import type { ReadStream, WriteStream } from 'node:tty';
import type { Ruler } from '../../render/ruler.js';
import { createDrawing } from './drawing.js';
import { createKeyboard } from './keyboard.js';
import { createListeners } from './listeners.js';
import type { Reflow } from './reflow.js';
import { listenForSignals, withoutInterrupts } from './signals.js';
import type { Terminal } from './terminal.js';

interface TerminalParts {
  stdin: ReadStream;
  stdout: WriteStream;
  ruler: Ruler;
  reflow: Reflow;
}

/** Takes a terminal, until it is closed, is gone, or the process ends. */
export function openTerminal({ stdin, stdout, ruler, reflow }: TerminalParts): Terminal {
  const input = createListeners<string>();
  const ends = createListeners<void>();
  let isOpen = true;
  let stopListening = (): void => undefined;
  const drawing = createDrawing({ stdout, ruler, reflow, onGone: () => lose() });
  const keyboard = createKeyboard(stdin, { text: input.tell, end: () => lose() });

  const take = (): void => {
    if (!isOpen) return;
    keyboard.take();
    stopListening = listenForSignals({ leave: close, stop: suspend, goOn: takeAgain });
    drawing.take();
  };
  const letGo = (): void => {
    stopListening();
    keyboard.letGo();
  };
  const release = (): void => {
    drawing.release();
    letGo();
  };
  const takeAgain = (): void => {
    letGo();
    take();
  };
  const end = (): boolean => {
    const wasOpen = isOpen;
    isOpen = false;
    return wasOpen;
  };
  const close = (): void => {
    if (end()) release();
  };
  const lose = (): void => {
    if (!end()) return;
    letGo();
    ends.tell();
  };
  const suspend = (): void => {
    release();
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
    runChild: (command, args, options) => {
      release();
      const child = () => ended(spawn(command, [...args], { ...options, stdio: 'inherit' }));
      return withoutInterrupts(child).finally(take);
    },
    close,
  };
}

function ended(child: ReturnType<typeof spawn>): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code));
  });
}
