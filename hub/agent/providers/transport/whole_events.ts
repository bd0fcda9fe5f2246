const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const HELD_BYTES_MIN = 1_024;
const LENGTH_BYTES = 4;
const NOTHING = new Uint8Array();

/** What ends an event: a blank line, as in server-sent events, or each line. */
export type Framing = 'events' | 'lines';

/** A stream of events on its way to what reads it. */
export interface EventBytes {
  /** The events that this chunk completes, with what ends them; null for none. */
  add(chunk: Uint8Array): Uint8Array | null;
  /** The bytes of an incomplete event so far. */
  heldBytes(): number;
  /** The bytes after the last complete event. */
  rest(): Uint8Array;
}

/**
 * Passes on complete events only. An SDK scans all that it has of an event whenever more of it comes, which for a long one
 * in many small chunks keeps the hub busy for minutes.
 */
export function wholeEvents(framing: Framing): EventBytes {
  let held = NOTHING;
  let size = 0;
  const hold = (bytes: Uint8Array): void => {
    if (size + bytes.length > held.length) {
      const larger = new Uint8Array(Math.max(HELD_BYTES_MIN, 2 * (size + bytes.length)));
      larger.set(held.subarray(0, size));
      held = larger;
    }
    held.set(bytes, size);
    size += bytes.length;
  };
  return {
    add(chunk) {
      const end = framing === 'lines' ? chunk.lastIndexOf(LINE_FEED) + 1 : endOfEvents(held.subarray(0, size), chunk);
      if (end === 0) {
        hold(chunk);
        return null;
      }
      const last = chunk.subarray(0, end);
      const whole = size === 0 ? last : Buffer.concat([held.subarray(0, size), last]);
      size = 0;
      held = NOTHING;
      if (end < chunk.length) hold(chunk.subarray(end));
      return whole;
    },
    heldBytes: () => size,
    rest: () => held.subarray(0, size),
  };
}

/** Passes on messages of Amazon's event streams, which begin with their length in four bytes, and counts what is left of one. */
export function wholeMessages(): EventBytes {
  let left = 0;
  let length: number[] = [];
  return {
    add(chunk) {
      for (let at = 0; at < chunk.length; ) {
        const step = Math.min(left, chunk.length - at);
        left -= step;
        at += step;
        if (at === chunk.length) break;
        length.push(chunk[at] ?? 0);
        at += 1;
        if (length.length < LENGTH_BYTES) continue;
        left = Math.max(0, Buffer.from(length).readUInt32BE() - LENGTH_BYTES);
        length = [];
      }
      return chunk;
    },
    heldBytes: () => left,
    rest: () => NOTHING,
  };
}

/** Where in a chunk the last blank line ends, which may begin in the bytes before it; 0 when there is none. */
function endOfEvents(before: Uint8Array, chunk: Uint8Array): number {
  const byteAt = (index: number): number | undefined => (index < 0 ? before.at(index) : chunk[index]);
  for (let end = chunk.length; end > 0; end -= 1) {
    const [last, previous] = [byteAt(end - 1), byteAt(end - 2)];
    if (last !== LINE_FEED && last !== CARRIAGE_RETURN) continue;
    // The line feed of a line end of two characters ends a blank line when it follows another line feed.
    const above = last === LINE_FEED && previous === CARRIAGE_RETURN ? byteAt(end - 3) : previous;
    if (above === last) return end;
  }
  return 0;
}
