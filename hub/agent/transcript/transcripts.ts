import { existsSync } from 'node:fs';
import { mkdir, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { HubError } from '../../base/error.js';
import { within } from '../../base/wait_at_most.js';
import type { TreeId, TurnId } from '../../protocol/node.js';
import type { AgentEvent, TranscriptPlace } from '../../protocol/turn.js';
import type { AgentParts } from '../agent_parts.js';
import type { RunningTurn } from '../turn/running_turn.js';
import type { TurnWork } from '../turn/turn_work.js';
import { refuseFolder, refuseForeign } from './transcript_file.js';
import { transcriptWriter } from './transcript_writer.js';

/** How many turns that wait keep their place; the others go on in a new file. */
const WAITING_MAX = 1_000;
/** How long the end of a turn waits for its transcript: a disk may hang. */
const END_MS_MAX = 5_000;

interface TranscriptParts {
  /** Where those go that nobody named. */
  folder: string;
  log: AgentParts['log'];
}

/** A transcript whose place is known to be free for it. */
export interface Transcript {
  /** Writes what a turn has said, and whatever it says from now on. */
  begin(work: TurnWork): void;
  /** Resolves when it is complete. */
  end(): Promise<void>;
}

export interface Transcripts {
  /** Refuses a place that is none; nothing is written yet. A turn that goes on after it waited has its place already. */
  prepare(place: TranscriptPlace | null, turn: Pick<RunningTurn, 'id' | 'tree'>): Promise<Transcript>;
}

/** After these there may be something to write; not before the first request is on its way, which must not wait for it. */
const WRITTEN_AFTER = new Set<AgentEvent['kind']>([
  ...(['request_started', 'step_committed', 'context_compacted', 'input_taken', 'turn_parked', 'turn_ended'] as const),
]);

export function createTranscripts(parts: TranscriptParts): Transcripts {
  const queues = fileQueues();
  const waiting = waitingPlaces();
  return {
    async prepare(wanted, { id, tree }) {
      const place = waiting.take(id) ?? (wanted === null ? null : await realPlace(wanted, tree));
      let end = (): Promise<void> => Promise.resolve();
      return {
        begin(work) {
          end = beginWriting({ ...parts, queues, waiting, place }, work);
        },
        end: () => end(),
      };
    },
  };
}

interface Writing extends TranscriptParts {
  queues: FileQueues;
  waiting: WaitingPlaces;
  place: TranscriptPlace | null;
}

/** Writes a transcript whenever there is something new; returns what completes it. */
function beginWriting(writing: Writing, work: TurnWork): () => Promise<void> {
  const { queues, waiting } = writing;
  const { turn } = work;
  const file = fileFor(writing, work);
  const write = writeTo(file, writing, work);
  let isWaiting = false;
  const wake = (): void => {
    if (isWaiting) return;
    isWaiting = true;
    queues.add(file, () => {
      isWaiting = false;
      return write();
    });
  };
  queues.use(file);
  turn.tell({ kind: 'transcript_opened', turn: turn.id, file });
  const unfollow = turn.follow({
    emit(event) {
      if (WRITTEN_AFTER.has(event.kind)) wake();
      if (event.kind === 'turn_parked') waiting.keep(turn.id, file);
    },
    hasRoom: () => false,
  });
  return async () => {
    unfollow();
    wake();
    await within(END_MS_MAX, queues.done(file));
    queues.leave(file);
  };
}

/** What fails is told once, and tried again with what comes next. */
function writeTo(file: string, { place, folder, log }: Writing, work: TurnWork): () => Promise<void> {
  const writer = transcriptWriter(file, work);
  let hasFailed = false;
  return async () => {
    try {
      if (place === null) await mkdir(folder, { recursive: true, mode: 0o700 });
      else await refuseMoved(dirname(file));
      await writer.write();
    } catch (error) {
      if (hasFailed) return;
      hasFailed = true;
      const message = error instanceof Error ? error.message : String(error);
      log('warn', `a transcript could not be written: ${message}`);
      work.turn.tell({ kind: 'transcript_failed', turn: work.turn.id, file, message });
    }
  };
}

function fileFor({ queues, folder, place }: Writing, { turn }: TurnWork): string {
  if (place !== null && 'file' in place) return place.file;
  const [at, time] = [place?.folder ?? folder, stamp(turn.startedAtMs)];
  const file = join(at, `${time}-${turn.tree.slice(0, 8)}.json`);
  // Another turn of the tree began in this very second.
  return queues.has(file) || existsSync(file) ? join(at, `${time}-${turn.id.slice(0, 8)}.json`) : file;
}

type FileQueues = ReturnType<typeof fileQueues>;

/** What is written to each file, one after the other: two turns may have the same. */
function fileQueues() {
  const last = new Map<string, Promise<void>>();
  const inUse = new Set<string>();
  return {
    has: (file: string) => inUse.has(file),
    use: (file: string) => void inUse.add(file),
    leave: (file: string) => void inUse.delete(file),
    done: (file: string) => last.get(file) ?? Promise.resolve(),
    add(file: string, work: () => Promise<void>): void {
      const done = (last.get(file) ?? Promise.resolve()).then(work);
      last.set(file, done);
      void done.then(() => {
        if (last.get(file) === done) last.delete(file);
      });
    },
  };
}

type WaitingPlaces = ReturnType<typeof waitingPlaces>;

/** Where turns that wait for a person were written, in this hub. */
function waitingPlaces() {
  const files = new Map<TurnId, string>();
  return {
    keep(turn: TurnId, file: string): void {
      const [oldest] = files.keys();
      if (files.size >= WAITING_MAX && oldest !== undefined) files.delete(oldest);
      files.set(turn, file);
    },
    take(turn: TurnId): { file: string } | null {
      const file = files.get(turn);
      files.delete(turn);
      return file === undefined ? null : { file };
    },
  };
}

/** Refuses a place that is none. What leads there is told once: a link may lead elsewhere later. */
async function realPlace(place: TranscriptPlace, tree: TreeId): Promise<TranscriptPlace> {
  try {
    if ('folder' in place) {
      await refuseFolder(place.folder);
      return { folder: await realpath(place.folder) };
    }
    await refuseForeign(place.file, tree);
    return { file: join(await realpath(dirname(place.file)), basename(place.file)) };
  } catch (error) {
    if (error instanceof HubError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new HubError('invalid_params', `no transcript can be written: ${reason}`, { cause: error });
  }
}

/** A model that may change a folder could put a link in its place, to where it may change nothing. */
async function refuseMoved(folder: string): Promise<void> {
  if ((await realpath(folder)) === folder) return;
  throw new HubError('conflict', `the folder ${folder} is another than it was when the turn began`);
}

/** UTC, as the names of transcripts have it: 2026-01-31-23-59-59. */
function stamp(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 19).replace(/[T:]/g, '-');
}
