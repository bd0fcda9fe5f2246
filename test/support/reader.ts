import { join } from 'node:path';
import { METHODS, type ParamsOf, type ResultOf } from '../../hub/protocol/methods/method_table.js';
import type { ReadContext } from '../../loom/paging/read_context.js';
import { createHiddenCache } from '../../loom/read/archived_descendants.js';
import { createPathCache } from '../../loom/read/path_cache.js';
import type { FeedPage, FeedParams, ReaderReply, ReadMethod } from '../../loom/read/read_methods.js';
import { createSoundNodes, type SoundNodes } from '../../loom/read/sound_nodes.js';
import { openSearchIndex } from '../../loom/search/index_file.js';
import { nodeJson } from '../../loom/store/rows.js';
import { openStore, type Store } from '../../loom/store/store.js';
import { fromWorkerError } from '../../loom/store/worker_error.js';
import { createScheduler, type Scheduler } from '../../loom/threads/read_scheduler.js';
import { type TestWriter, withWriter } from './writer.js';

/** The read operations on the database of a test writer, in this thread. */
export interface TestReader {
  store: Store;
  searchIndex: string;
  scheduler: Scheduler;
  /** Calls a method and returns its result as it is sent. */
  raw<M extends ReadMethod>(method: M, params: ParamsOf<M>): Promise<string>;
  /** Calls a method and parses its result with the method's schema. */
  read<M extends ReadMethod>(method: M, params: ParamsOf<M>): Promise<ResultOf<M>>;
  feed(params: FeedParams): Promise<FeedPage>;
  /** The answer to a call with this id that was passed to the scheduler directly. */
  answer(id: number): Promise<ReaderReply>;
}

export async function withReader(run: (reader: TestReader, writer: TestWriter) => Promise<void>): Promise<void> {
  await withWriter(async (writer) => {
    const reader = openReader(writer.folder);
    try {
      await run(reader, writer);
    } finally {
      reader.close();
    }
  });
}

/** Believes every row, as a control. */
export const TRUSTING: SoundNodes = { isSound: () => true, json: nodeJson, damagedAmong: () => new Set() };

/** A reader of the database in a folder, to be closed. */
export function openReader(folder: string, sound: SoundNodes = createSoundNodes()): TestReader & { close(): void } {
  const context = { ...openContext(folder), sound };
  return {
    ...testReader(folder, context),
    close() {
      context.search.close();
      context.store.close();
    },
  };
}

function openContext(folder: string): Omit<ReadContext, 'sound'> {
  return {
    store: openStore({ path: join(folder, 'trees.db'), access: 'read', synchronous: 'off' }),
    search: openSearchIndex(join(folder, 'search.db')),
    paths: createPathCache(),
    hidden: createHiddenCache(),
    damage: { newest: null },
    outputs: join(folder, 'outputs'),
  };
}

function testReader(folder: string, context: ReadContext): TestReader {
  const waiting = new Map<number, (reply: ReaderReply) => void>();
  const scheduler = createScheduler(context, (reply) => waiting.get(reply.id)?.(reply));
  const answer = (id: number) => new Promise<ReaderReply>((resolve) => waiting.set(id, resolve));
  let newest = 1_000;
  const raw: TestReader['raw'] = async (method, params) => {
    newest += 1;
    const reply = answer(newest);
    scheduler.accept({ id: newest, caller: 1, op: method, params: METHODS[method].params.parse(params) } as never); // its own schema parsed it
    return jsonOf(await reply);
  };
  return {
    store: context.store,
    searchIndex: join(folder, 'search.db'),
    scheduler,
    answer,
    raw,
    read: async (method, params) => METHODS[method].result.parse(JSON.parse(await raw(method, params))) as never, // its own schema parsed it
    async feed(params) {
      newest += 1;
      const reply = answer(newest);
      scheduler.accept({ id: newest, caller: 1, op: 'feed', params });
      const told = await reply;
      if ('feed' in told) return told.feed;
      throw new Error(jsonOf(told));
    },
  };
}

function jsonOf(reply: ReaderReply): string {
  if ('json' in reply) return reply.json;
  if ('error' in reply) throw fromWorkerError(reply.error);
  throw new Error('a piece of the feed was not asked for');
}
