import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { jsonText } from './json_text.js';

/** Where a command's data goes. */
export interface Sink {
  /** Resolves when more may be written. */
  write(text: string): Promise<void>;
  /** Resolves when everything has been passed on, or the reader has gone. */
  end(): Promise<void>;
}

/** Writes to a stream and waits while its reader is behind. A reader that goes away ends it silently. */
export function streamSink(stream: Writable): Sink {
  return {
    write: async (text) => {
      if (text !== '' && !stream.write(text)) await once(stream, 'drain');
    },
    end: async () => {
      if (stream.writableLength > 0) await new Promise<void>((done) => stream.write('', () => done()));
    },
  };
}

/** Collects lines into pieces that are worth a write. */
export async function writeLines(sink: Sink, lines: Iterable<string>): Promise<void> {
  const PIECE_LENGTH = 64 * 1024;
  let piece = '';
  for (const line of lines) {
    piece += `${line}\n`;
    if (piece.length < PIECE_LENGTH) continue;
    await sink.write(piece);
    piece = '';
  }
  await sink.write(piece);
}

/** Writes items as one JSON array, as they come. */
export async function writeJsonArray(sink: Sink, items: AsyncIterable<unknown>): Promise<void> {
  let opening = '[';
  for await (const item of items) {
    await sink.write(opening + jsonText(item));
    opening = ',\n';
  }
  await sink.write(opening === '[' ? '[]\n' : ']\n');
}
