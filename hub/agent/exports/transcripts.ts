import { existsSync } from 'node:fs';
import { mkdir, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { withHeldFolder } from '../../base/disk/held_folder.js';
import { HubError } from '../../base/error.js';
import { within } from '../../base/wait_at_most.js';
import type { TreeId, TurnId } from '../../protocol/node.js';
import type { TranscriptPlace } from '../../protocol/turn.js';
import type { AgentParts } from '../agent_parts.js';
import type { RunningTurn } from '../turn/running_turn.js';
import type { TurnWork } from '../turn/turn_work.js';
import { createExportQueue, onProgress } from './export_queue.js';
import { refuseFolder, refuseForeign } from './transcript_file.js';
import { transcriptWriter } from './transcript_writer.js';

/** How many parked turns keep their file; the others go on in a new one. */
const PARKED_MAX = 1_000;
/** How long the end of a turn waits for its transcript: a disk may hang. */
const END_MS_MAX = 5_000;

interface TranscriptParts {
  /** The folder of the transcripts that nobody gave a place. */
  folder: string;
  log: AgentParts['log'];
}

/** Writes what a turn says from now on; returns what completes the transcript. */
export type OpenTranscript = (work: TurnWork) => () => Promise<void>;

export interface Transcripts {
  /** Refuses a place that cannot be written to; nothing is written yet. A parked turn that goes on has its file already. */
  prepare(place: TranscriptPlace | null, turn: Pick<RunningTurn, 'id' | 'tree'>): Promise<OpenTranscript>;
}

export function createTranscripts({ folder, log }: TranscriptParts): Transcripts {
  const queue = createExportQueue();
  const parked = new Map<TurnId, string>();
  const open = new Set<string>();

  function fileFor({ startedAtMs, tree, id }: RunningTurn, place: TranscriptPlace | null): string {
    if (place !== null && 'file' in place) return place.file;
    const fileNamed = (name: string) => join(place?.folder ?? folder, `${stamp(startedAtMs)}-${name.slice(0, 8)}.json`);
    const file = fileNamed(tree);
    // Another turn of the tree began in this very second.
    return open.has(file) || existsSync(file) ? fileNamed(id) : file;
  }

  async function inOwnFolder(write: (folder: string) => Promise<void>): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await write(folder);
  }

  /** A failure is reported once, and tried again with what comes next. */
  function writerOf(file: string, place: TranscriptPlace | null, work: TurnWork): () => Promise<void> {
    const write = transcriptWriter(file, work);
    let hasFailed = false;
    return async () => {
      try {
        // A model that may change a folder that somebody named could put a link in its place, to where it may change nothing.
        await (place === null ? inOwnFolder(write) : withHeldFolder(dirname(file), write));
      } catch (error) {
        if (hasFailed) return;
        hasFailed = true;
        const reason = error instanceof Error ? error.message : String(error);
        const message = reason.replace(/\/proc\/self\/fd\/\d+/g, dirname(file));
        log('warn', `a transcript could not be written: ${message}`);
        work.turn.emit({ kind: 'transcript_failed', turn: work.turn.id, file, message });
      }
    };
  }

  function park(turn: TurnId, file: string): void {
    const [oldest] = parked.keys();
    if (parked.size >= PARKED_MAX && oldest !== undefined) parked.delete(oldest);
    parked.set(turn, file);
  }

  return {
    async prepare(params, { id, tree }) {
      const file = parked.get(id);
      parked.delete(id);
      const place = file === undefined ? params && (await realPlace(params, tree)) : { file };
      return (work) => {
        const { turn } = work;
        const path = fileFor(turn, place);
        const write = writerOf(path, place, work);
        open.add(path);
        turn.emit({ kind: 'transcript_opened', turn: turn.id, file: path });
        const unfollow = onProgress(turn, ({ kind }) => {
          queue.add(path, turn.id, write);
          if (kind === 'turn_parked') park(turn.id, path);
        });
        return async () => {
          unfollow();
          queue.add(path, turn.id, write);
          await within(END_MS_MAX, queue.done(path));
          open.delete(path);
        };
      };
    },
  };
}

/** Refuses a place that is none. Links on the way are followed here, once: they may lead elsewhere later. */
async function realPlace(place: TranscriptPlace, tree: TreeId): Promise<TranscriptPlace> {
  try {
    if ('folder' in place) {
      await refuseFolder(place.folder);
      return { folder: await realpath(place.folder) };
    }
    await refuseForeign(place.file, tree, place.file);
    return { file: join(await realpath(dirname(place.file)), basename(place.file)) };
  } catch (error) {
    if (error instanceof HubError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new HubError('invalid_params', `no transcript can be written: ${reason}`, { cause: error });
  }
}

/** UTC, as the names of transcripts have it: 2026-01-31-23-59-59. */
function stamp(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 19).replace(/[T:]/g, '-');
}
