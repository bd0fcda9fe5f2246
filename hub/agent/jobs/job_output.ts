import { HubError } from '../../base/error.js';
import { excerptOf, excerptText, isBinary } from '../../base/head_and_tail.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import type { Job } from './job.js';

/** The newest of what a job has printed from an offset on. */
export interface JobOutput {
  text: string;
  totalBytes: number;
}

export interface Wanted {
  offset: number;
  bytesMax: number;
  /** How long to wait for more than nothing. */
  waitMs: number;
}

/** Reads from the command while it runs, else from what was stored of it. */
export async function readJob(reach: InternalCaller, job: Job, wanted: Wanted): Promise<JobOutput> {
  const running = job.end === null ? await readRunning(reach, job, wanted) : null;
  return running ?? readStored(reach, job, wanted);
}

/** Null when it has ended meanwhile. */
async function readRunning(reach: InternalCaller, job: Job, wanted: Wanted): Promise<JobOutput | null> {
  const { offset, bytesMax, waitMs } = wanted;
  try {
    const reading = callHub(reach, 'bash.read', { id: job.id, offset, bytes_max: bytesMax, wait_ms: waitMs });
    const { data, ...read } = await reading;
    // What follows from its end is known with that.
    if (read.ended) await job.ended;
    return { text: textOf(Buffer.from(data, 'base64'), read.offset - offset), totalBytes: read.total_bytes };
  } catch (error) {
    if (reach.context.signal.aborted || !(error instanceof HubError)) throw error;
    // Whatever became of it is known when it has ended.
    await job.ended;
    return null;
  }
}

async function readStored(reach: InternalCaller, { end }: Job, { offset, bytesMax }: Wanted): Promise<JobOutput> {
  const output = end?.output ?? null;
  if (output === null) return { text: '', totalBytes: offset };
  const { sha256, size_bytes, total_bytes } = output;
  // The stored end is the end of all, also where something is left out before it.
  const limit = Math.min(bytesMax, total_bytes - offset, size_bytes);
  if (limit <= 0) return { text: '', totalBytes: total_bytes };
  const { data } = await callHub(reach, 'loom.blob_read', { sha256, offset: size_bytes - limit, limit });
  return { text: textOf(Buffer.from(data, 'base64'), total_bytes - limit - offset), totalBytes: total_bytes };
}

function textOf(bytes: Buffer, leftOutBytes: number): string {
  if (isBinary(bytes)) return `(${leftOutBytes + bytes.length} bytes that are no text)\n`;
  if (leftOutBytes === 0) return bytes.toString('utf8');
  const totalBytes = leftOutBytes + bytes.length;
  const sizes = { headBytes: 0, tailBytes: bytes.length };
  return excerptText(excerptOf({ head: Buffer.alloc(0), tail: bytes, totalBytes }, sizes));
}
