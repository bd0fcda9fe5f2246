const FIRST_BYTES = 16 * 1024;
/** A UTF-16 unit has at most so many bytes of UTF-8. */
const UNIT_BYTES_MAX = 3;

/** JSON texts behind each other as bytes of UTF-8, with commas between: as strings they would be copied again and again. */
export interface BodyList {
  /** Returns how many bytes the text has. */
  add(text: string): number;
  bytes(): number;
  /** All of them between two other texts. */
  between(before: string, after: string): Uint8Array<ArrayBuffer>;
}

export function createBodyList(): BodyList {
  let list = Buffer.allocUnsafeSlow(FIRST_BYTES);
  let at = 0;

  function makeRoom(bytes: number): void {
    if (at + bytes <= list.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * list.length, at + bytes));
    list.copy(larger, 0, 0, at);
    list = larger;
  }

  return {
    add(text) {
      makeRoom(1 + text.length * UNIT_BYTES_MAX);
      if (at > 0) at += list.write(',', at);
      const bytes = list.write(text, at);
      at += bytes;
      return bytes;
    },
    bytes: () => at,
    between(before, after) {
      const whole = new Uint8Array(Buffer.byteLength(before) + at + Buffer.byteLength(after));
      const { written } = new TextEncoder().encodeInto(before, whole);
      whole.set(list.subarray(0, at), written);
      new TextEncoder().encodeInto(after, whole.subarray(written + at));
      return whole;
    },
  };
}
