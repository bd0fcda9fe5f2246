import type { Sink } from '../../output/sink.js';

/** How much of a long text is shown. */
export interface Bound {
  lines: number;
  /** Which part of it: its first lines, or its last. */
  keeps: 'first' | 'last';
}

interface BoundedSink extends Sink {
  /** How many lines came, and how many of them were shown; only now the last ones are. */
  finish(): Promise<{ lines: number; shown: number }>;
}

/** Passes on a bounded part of what is written to it. */
export function boundedSink(out: Sink, { lines: most, keeps }: Bound): BoundedSink {
  let count = 0;
  let begun = '';
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
      const pieces = (begun + text).split('\n');
      begun = pieces.pop() ?? '';
      await take(pieces.map((piece) => `${piece}\n`));
    },
    end: async () => undefined,
    async finish() {
      if (begun !== '') await take([`${begun}\n`]);
      if (held.length > 0) await out.write(held.join(''));
      return { lines: count, shown: Math.min(count, most) };
    },
  };
}
