/** What could not be read of a file. */
export interface ReadProblems {
  /** Records that are no JSON. */
  broken: number;
  /** Records that are longer than one may be. */
  tooLong: number;
  /** Whether the end of the file is missing. */
  cut: boolean;
}

const RECORD_BYTES_MAX = 64 * 1024 * 1024;
const NEWLINE = 0x0a;
const [QUOTE, BACKSLASH, OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d];
/** Records of megabytes in which Claude Code keeps its requests. */
const SKIPPED = /^\{"type":"api-request/;
const SKIPPED_BYTES = 64;

/** The records of a file with one in each line. What is broken is counted and left out. */
export async function* lineRecords(chunks: AsyncIterable<Uint8Array>, problems: ReadProblems): AsyncGenerator<unknown> {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      yield* recordIn([...held, chunk.subarray(start, end)], heldBytes + end - start, problems);
      held = [];
      heldBytes = 0;
      start = end + 1;
    }
    heldBytes += chunk.length - start;
    // Of a line that is too long nothing is held.
    if (heldBytes > RECORD_BYTES_MAX) held = [];
    else held.push(chunk.subarray(start));
  }
  const last = { ...problems };
  if (heldBytes <= RECORD_BYTES_MAX) yield* parsed(Buffer.concat(held).toString('utf8'), last);
  problems.cut = last.broken > problems.broken || heldBytes > RECORD_BYTES_MAX;
}

function* recordIn(pieces: readonly Uint8Array[], bytes: number, problems: ReadProblems): Generator<unknown> {
  if (bytes > RECORD_BYTES_MAX) {
    problems.tooLong += 1;
    return;
  }
  const line = pieces.length === 1 ? Buffer.from(pieces[0] ?? []) : Buffer.concat(pieces);
  if (SKIPPED.test(line.toString('latin1', 0, SKIPPED_BYTES))) return;
  yield* parsed(line.toString('utf8'), problems);
}

function* parsed(text: string, problems: ReadProblems): Generator<unknown> {
  if (text.trim() === '') return;
  try {
    yield JSON.parse(text);
  } catch {
    problems.broken += 1; // it is counted, and the person is told
  }
}

/** Around a record: a list, an object, or a list in an object. */
const AROUND = [[OPEN_LIST], [OPEN_OBJECT], [OPEN_OBJECT, OPEN_LIST]].map(String);

/** The records of a file that is one JSON document: the objects in it, and those of its lists. Never is more held than one. */
export async function* documentRecords(
  chunks: AsyncIterable<Uint8Array>,
  problems: ReadProblems,
): AsyncGenerator<unknown> {
  const scan: Scan = { around: [], inText: false, isEscaped: false, record: null };
  for await (const chunk of chunks) {
    for (const { pieces, bytes } of recordsIn(scan, chunk)) yield* recordIn(pieces, bytes, problems);
  }
  problems.cut = scan.around.length > 0;
}

/** Where a scan of JSON stands. */
interface Scan {
  /** The brackets that are open. */
  around: number[];
  inText: boolean;
  isEscaped: boolean;
  /** The record that has begun; of one that is too long nothing is held. */
  record: { depth: number; pieces: Uint8Array[]; bytes: number } | null;
}

/** The records that end in a chunk. */
function* recordsIn(scan: Scan, chunk: Uint8Array): Generator<{ pieces: readonly Uint8Array[]; bytes: number }> {
  let start = 0;
  for (let at = 0; at < chunk.length; at += 1) {
    const byte = chunk[at] ?? 0;
    if (scan.record === null && byte === OPEN_OBJECT && !scan.inText && AROUND.includes(String(scan.around))) {
      scan.record = { depth: scan.around.length, pieces: [], bytes: 0 };
      start = at;
    }
    step(scan, byte);
    if (byte !== CLOSE_OBJECT || scan.around.length !== scan.record?.depth || scan.inText) continue;
    const { pieces, bytes } = scan.record;
    scan.record = null;
    yield { pieces: [...pieces, chunk.subarray(start, at + 1)], bytes: bytes + at + 1 - start };
  }
  if (scan.record === null) return;
  scan.record.bytes += chunk.length - start;
  if (scan.record.bytes > RECORD_BYTES_MAX) scan.record.pieces = [];
  else scan.record.pieces.push(chunk.subarray(start));
}

function step(scan: Scan, byte: number): void {
  if (scan.inText) {
    if (byte === QUOTE && !scan.isEscaped) scan.inText = false;
    scan.isEscaped = byte === BACKSLASH && !scan.isEscaped;
  } else if (byte === QUOTE) scan.inText = true;
  else if (byte === OPEN_OBJECT || byte === OPEN_LIST) scan.around.push(byte);
  else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) scan.around.pop();
}
