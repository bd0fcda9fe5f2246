import type { ReadStream } from 'node:tty';

/** The keyboard in raw mode. */
export interface Keyboard {
  take(): void;
  /** Leaves raw mode and stops reading. */
  letGo(): void;
}

/** `on.end` is called when nothing can be typed any more. */
export function createKeyboard(stdin: ReadStream, on: { text: (text: string) => void; end: () => void }): Keyboard {
  stdin.setEncoding('utf8').on('end', on.end).on('error', on.end);
  return {
    take() {
      // libuv does not set a mode again that it believes to be set, though a shell may have changed it meanwhile.
      stdin.setRawMode(false).setRawMode(true);
      stdin.on('data', on.text).resume();
    },
    letGo() {
      stdin.removeListener('data', on.text).pause();
      if (!stdin.destroyed) stdin.setRawMode(false);
    },
  };
}
