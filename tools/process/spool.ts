import { closeSync, existsSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { errnoOf } from '../../hub/base/errno.js';
import type { Channel } from './spawn_process.js';

/** The header holds counters: of all bytes, of each channel, and the sizes of head and ring. */
const HEADER_BYTES = 64;
const PIECE_BYTES = 1024 * 1024;
/** When the counters are older than the newest bytes, so many of the oldest may be overwritten already. */
const UNSURE_BYTES = 64 * 1024;
/** Freed on a full disk, so that a node can be written. */
const ROOM_BYTES = 1024 * 1024;
const DISK_FULL = 'the disk is full';
/** Switches between channels that are remembered; earlier bytes count as stdout. */
const CHANNEL_CHANGES_MAX = 65_536;

/** Bytes of one channel in the spool. */
export interface SpoolPiece {
  from: Channel;
  offset: number;
  bytes: Buffer;
}

/** The output of a command on disk: whole up to a size, then its head and its tail. */
export interface Spool {
  write(from: Channel, bytes: Buffer): void;
  totalBytes(): number;
  channelBytes(): Record<Channel, number>;
  /** The size of the head when a gap follows it; null when the output is whole. */
  headBytes(): number | null;
  /** Why output was lost that would have fit; null when all is well. */
  problem(): string | null;
  /** Reads at an offset: a piece, the number of lost bytes from there on, or null at the end. */
  at(offset: number): SpoolPiece | { goneBytes: number } | null;
  /** Everything that is kept. */
  pieces(): Generator<Buffer>;
  /** The beginning and the end of what is kept. */
  ends(headBytes: number, tailBytes: number): { head: Buffer; tail: Buffer };
  /** Frees all its disk space. */
  discard(): void;
  /** Adds a reader, who closes it as well: the output may be stored before all have read it. */
  hold(): void;
  close(): void;
}

/** Creates an empty spool that keeps up to so many bytes; its file is created with the first of them. */
export function createSpool(path: string, keptBytesMax: number): Spool {
  const kept = Math.max(2, Math.floor(keptBytesMax));
  const head = Math.ceil(kept / 2);
  const open = (): number => openSync(path, 'wx+', 0o600);
  return spoolOn(
    { fd: null, open, total: 0, stdout: 0, stderr: 0, head, ring: kept - head, endsAt: Number.POSITIVE_INFINITY },
    0,
  );
}

/** Opens the spool of an earlier process; null when there is none. */
export function openSpool(path: string): Spool | null {
  if (!existsSync(path)) return null;
  const fd = openSync(path, 'r+');
  const header = Buffer.alloc(HEADER_BYTES);
  const size = fstatSync(fd).size;
  if (size < HEADER_BYTES || readSync(fd, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) {
    closeSync(fd);
    return null;
  }
  const [noted = 0, stdout = 0, stderr = 0, head = 1, ring = 1] = [0, 8, 16, 24, 32].map((at) =>
    header.readDoubleLE(at),
  );
  const written = size - HEADER_BYTES;
  // Until the ring wraps, the file's size shows bytes that the counters do not.
  const total = noted <= head + ring ? Math.max(noted, written) : noted;
  const endsAt = written < Math.min(total, head + ring) ? written : Number.POSITIVE_INFINITY;
  return spoolOn(
    { fd, open: () => fd, total, stdout: stdout + total - noted, stderr, head, ring, endsAt },
    UNSURE_BYTES,
  );
}

interface SpoolState {
  /** Null as long as there is no file. */
  fd: number | null;
  open(): number;
  total: number;
  stdout: number;
  stderr: number;
  head: number;
  ring: number;
  /** Nothing is kept from this offset on: the disk was full. */
  endsAt: number;
}

function spoolOn(state: SpoolState, unsureBytes: number): Spool {
  const { head, ring } = state;
  const file = spoolFile(state);
  const channels = createChannelLog();
  let problem = Number.isFinite(state.endsAt) ? DISK_FULL : null;
  const end = (): number => Math.min(state.total, state.endsAt);
  const isCut = (): boolean => end() - head > ring;
  const tailStart = (): number => (isCut() ? Math.min(end(), end() - ring + unsureBytes) : head);

  function* range(from: number, to: number): Generator<Buffer> {
    for (let at = from; at < to; ) {
      const bytes = file.read(at, Math.min(PIECE_BYTES, to - at));
      if (bytes.length === 0) return;
      yield bytes;
      at += bytes.length;
    }
  }

  return {
    write(from, bytes) {
      channels.note(state.total, from);
      if (problem === null) {
        problem = writeProblem(() => file.store(bytes));
        if (problem !== null) file.giveBack();
      }
      state.total += bytes.length;
      state[from] += bytes.length;
      problem ??= writeProblem(file.note);
    },
    totalBytes: () => state.total,
    channelBytes: () => ({ stdout: state.stdout, stderr: state.stderr }),
    headBytes: () => (isCut() ? head : finite(state.endsAt)),
    problem: () => problem,
    at(offset) {
      if (offset >= state.total) return null;
      if (offset >= end()) return { goneBytes: state.total - offset };
      if (offset >= head && offset < tailStart()) return { goneBytes: tailStart() - offset };
      const { from, until } = channels.at(offset);
      const limit = Math.min(until, offset < head ? head : end(), offset + 64 * 1024);
      return { from, offset, bytes: file.read(offset, Math.min(limit, end()) - offset) };
    },
    *pieces() {
      yield* range(0, Math.min(head, end()));
      if (end() > head) yield* range(tailStart(), end());
    },
    ends(headBytes, tailBytes) {
      const wholeHead = isCut() ? head : end();
      const tailFrom = Math.max(end() - tailBytes, isCut() ? tailStart() : 0);
      return {
        head: Buffer.concat([...range(0, Math.min(headBytes, wholeHead))]),
        tail: Buffer.concat([...range(tailFrom, end())]),
      };
    },
    discard() {
      state.endsAt = 0;
      if (state.fd !== null) ftruncateSync(state.fd, HEADER_BYTES);
    },
    hold: file.hold,
    close: file.close,
  };
}

/** Reads and writes at offsets of the output. */
function spoolFile(state: SpoolState) {
  const { head, ring } = state;
  const header = Buffer.alloc(HEADER_BYTES);
  let holders = 1;
  return {
    hold(): void {
      holders += 1;
    },
    close(): void {
      holders -= 1;
      if (holders === 0 && state.fd !== null) closeSync(state.fd);
    },
    note(): void {
      for (const [index, value] of [state.total, state.stdout, state.stderr, head, ring].entries()) {
        header.writeDoubleLE(value, index * 8);
      }
      if (state.fd !== null) writeSync(state.fd, header, 0, HEADER_BYTES, 0);
    },
    store(bytes: Buffer): void {
      const fd = state.fd ?? state.open();
      state.fd = fd;
      for (let done = 0; done < bytes.length; ) {
        const { at, roomBytes } = filePosition(state.total + done, state);
        done += writeSync(fd, bytes, done, Math.min(bytes.length - done, roomBytes), HEADER_BYTES + at);
      }
    },
    /** Storing needs the same space again: half of it may fit where all of it does not. */
    giveBack(): void {
      const whole = state.total <= head + ring ? state.total : 2 * head;
      state.endsAt = Math.max(0, Math.floor(whole / 2) - ROOM_BYTES);
      if (state.fd !== null) ftruncateSync(state.fd, HEADER_BYTES + state.endsAt);
    },
    read(offset: number, sizeMax: number): Buffer {
      if (state.fd === null) return Buffer.alloc(0);
      const { at, roomBytes } = filePosition(offset, state);
      const bytes = Buffer.allocUnsafe(Math.min(sizeMax, roomBytes));
      return bytes.subarray(0, readSync(state.fd, bytes, 0, bytes.length, HEADER_BYTES + at));
    },
  };
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

/** The position of an output byte in the file, and how many bytes follow it contiguously. */
function filePosition(offset: number, { head, ring }: SpoolState): { at: number; roomBytes: number } {
  if (offset < head) return { at: offset, roomBytes: head - offset };
  const inRing = (offset - head) % ring;
  return { at: head + inRing, roomBytes: ring - inRing };
}

/** Records which channel the bytes came from. */
function createChannelLog() {
  let starts: number[] = [];
  let channels: Channel[] = [];
  return {
    note(offset: number, from: Channel): void {
      if (channels.at(-1) === from) return;
      if (starts.length >= CHANNEL_CHANGES_MAX) {
        starts = starts.slice(CHANNEL_CHANGES_MAX / 2);
        channels = channels.slice(CHANNEL_CHANGES_MAX / 2);
      }
      starts.push(offset);
      channels.push(from);
    },
    at(offset: number): { from: Channel; until: number } {
      let low = 0;
      let high = starts.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((starts[middle] ?? 0) <= offset) low = middle + 1;
        else high = middle;
      }
      return { from: channels[low - 1] ?? 'stdout', until: starts[low] ?? Number.POSITIVE_INFINITY };
    },
  };
}

/** The reason of a failed write; null when it succeeded. */
function writeProblem(write: () => void): string | null {
  try {
    write();
    return null;
  } catch (error) {
    return errnoOf(error) === 'ENOSPC' ? DISK_FULL : String(error);
  }
}
