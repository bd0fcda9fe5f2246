/** What an unfinished message costs besides its bytes, for each piece that it arrived in. */
const PIECE_BYTES = 128;

/** How much of a message has arrived that has not ended. */
export interface FrameMeter {
  /** Takes the bytes as they arrive. */
  take(bytes: Uint8Array): void;
  /** The bytes of the message that has begun; 0 between two. */
  arriving(): number;
}

/** Counts WebSocket frames (RFC 6455, 5.2) beside the library, which tells nothing of messages that have not ended. */
export function createFrameMeter(): FrameMeter {
  let header: number[] = [];
  let payloadLeft = 0;
  let message = 0;
  let pieces = 0;

  function endOfFrame(): void {
    const [first = 0] = header;
    const isControl = (first & 0x08) !== 0;
    // Control frames may stand between those of a message.
    if (isControl) message -= frameBytes(header);
    else if ((first & 0x80) !== 0) message = 0;
    header = [];
  }

  /** Returns how many bytes of the piece it took. */
  function step(bytes: Uint8Array, at: number): number {
    if (payloadLeft > 0) {
      const taken = Math.min(payloadLeft, bytes.length - at);
      payloadLeft -= taken;
      message += taken;
      if (payloadLeft === 0) endOfFrame();
      return taken;
    }
    header.push(bytes[at] ?? 0);
    message += 1;
    if (header.length === headerLength(header)) {
      payloadLeft = payloadLength(header);
      if (payloadLeft === 0) endOfFrame();
    }
    return 1;
  }

  return {
    take(bytes) {
      for (let at = 0; at < bytes.length; ) at += step(bytes, at);
      pieces = message === 0 ? 0 : pieces + 1;
    },
    arriving: () => (message === 0 ? 0 : message + pieces * PIECE_BYTES),
  };
}

function headerLength([, second = 0]: readonly number[]): number {
  const size = second & 0x7f;
  const longSize = size === 127 ? 8 : 0;
  const mask = (second & 0x80) === 0 ? 0 : 4;
  return 2 + (size === 126 ? 2 : longSize) + mask;
}

function payloadLength(header: readonly number[]): number {
  const size = (header[1] ?? 0) & 0x7f;
  if (size < 126) return size;
  return header.slice(2, size === 126 ? 4 : 10).reduce((length, byte) => length * 256 + byte, 0);
}

function frameBytes(header: readonly number[]): number {
  return header.length + payloadLength(header);
}
