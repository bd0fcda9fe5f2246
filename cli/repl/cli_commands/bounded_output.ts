import type { Sink } from '../../output/sink.js';

/** How much of a long output is shown. */
export interface Bound {
  lines: number;
  /** Whether the first or the last lines are kept. */
  keeps: 'first' | 'last';
}

interface BoundedSink extends Sink {
  /** Writes what is held back, and counts the lines that came and those that were shown. */
  finish(): Promise<{ lines: number; shown: number }>;
}

/** A sink that passes on a bounded number of lines. */
export function boundedSink(out: Sink, { lines: most, keeps }: Bound): BoundedSink {
  let count = 0;
  let partial = '';
  let held: string[] = [];

  async function take(whole: readonly string[]): Promise<void> {
    const before = count;
    count += whole.length;
    if (keeps === 'first') {
      const shown = whole.slice(0, Math.max(0, most - before));
      if (shown.length > 0) await out.write(shown.join(''));
      return;
    }
    held = [...held, ...whole].slice(-most);
  }

  return {
    async write(text) {
      const pieces = (partial + text).split('\n');
      partial = pieces.pop() ?? '';
      await take(pieces.map((piece) => `${piece}\n`));
    },
    end: async () => undefined,
    async finish() {
      if (partial !== '') await take([`${partial}\n`]);
      if (held.length > 0) await out.write(held.join(''));
      return { lines: count, shown: Math.min(count, most) };
    },
  };
}
