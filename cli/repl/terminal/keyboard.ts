import type { ReadStream } from 'node:tty';

/** The keys of a terminal, each by itself as it is pressed. */
export interface Keyboard {
  take(): void;
  /** What is typed goes to whoever reads next, line by line. */
  letGo(): void;
}

/** `onEnd` is told when nothing can be typed any more. */
export function createKeyboard(stdin: ReadStream, on: { text: (text: string) => void; end: () => void }): Keyboard {
  stdin.setEncoding('utf8').on('end', on.end).on('error', on.end);
  return {
    take() {
      // A mode that libuv believes to be set already it does not set again, though a shell may have changed it meanwhile.
      stdin.setRawMode(false).setRawMode(true);
      stdin.on('data', on.text).resume();
    },
    letGo() {
      stdin.removeListener('data', on.text).pause();
      if (!stdin.destroyed) stdin.setRawMode(false);
    },
  };
}
