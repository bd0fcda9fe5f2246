import { dirname, join, resolve } from 'node:path';
import { raceAbort } from '../hub/base/abort.js';
import { HubError } from '../hub/base/error.js';
import type { Appended, CallContext, Handler, Handlers, Plugin, RawJson } from '../hub/base/plugin.js';
import type { ParsedOf } from '../hub/protocol/methods/method_table.js';
import { createFeed, type Feed } from './feed/watch.js';
import { type Blobs, openBlobs } from './outputs/blobs.js';
import { READ_METHODS, type ReadMethod } from './read/read_methods.js';
import { derivedId } from './store/derived_id.js';
import { backup } from './threads/backup_thread.js';
import { type ReaderThread, startReader } from './threads/reader_thread.js';
import type { WRITE_OPS } from './threads/write_operations.js';
import { startWriter, type WriterThread } from './threads/writer_thread.js';

export interface LoomOptions {
  paths: { database: string; searchIndex: string; outputs: string; uploads: string; logs: string };
  clock: () => number;
  newId: () => string;
  /** The built files of the threads. */
  workers: { writer: URL; reader: URL; copier: URL };
}

/** A call of the storage itself. */
const OWN: Pick<CallContext, 'caller'> = { caller: { kind: 'internal' } };

/** The storage of trees, with the state that the hub needs. */
export interface LoomPlugin extends Plugin {
  epoch: string;
  status(): 'ok' | 'read_only';
  /** Writing calls that have not been answered. */
  busy(): number;
  /** Calls back for what is appended, when it is on the disk. */
  onAppend(tell: (entries: readonly Appended[]) => void): void;
}

/** Opens the storage: first the writing thread, which migrates the database, then the reading thread. */
export async function openLoom(options: LoomOptions): Promise<LoomPlugin> {
  const { paths, clock, newId, workers } = options;
  let publish: Feed['publish'] | null = null;
  const listeners: ((entries: readonly Appended[]) => void)[] = [];
  const writer = await startWriter(
    { ...paths, atMs: clock(), newEpoch: newId() },
    { entry: workers.writer, clock, onFeed: (entries) => publish?.(entries) },
  );
  const blobs = await openBlobs({ ...paths, lease: (sha256) => writer.call('lease', { sha256 }, OWN) });
  const files = { database: paths.database, searchIndex: paths.searchIndex, outputs: paths.outputs };
  const start = (isForChecks: boolean): ReaderThread => startReader(workers.reader, { ...files, isForChecks });
  const [reader, searches, checks] = [start(false), searchThread(() => start(false)), createChecks(() => start(true))];
  const feed = createFeed({ epoch: writer.epoch, lastSeq: writer.lastSeq, read: reader.feed });
  publish = (entries) => {
    feed.publish(entries);
    for (const tell of listeners) tell(entries);
  };
  return {
    name: 'loom',
    version: '1.0.0',
    epoch: writer.epoch,
    status: () => (writer.isReadOnly() ? 'read_only' : 'ok'),
    busy: writer.waiting,
    onAppend: (tell) => void listeners.push(tell),
    methods: {
      ...readHandlers(reader),
      'loom.search': searches.run,
      'loom.fsck': checks.run,
      ...writeHandlers(writer, newId),
      ...blobHandlers(blobs),
      'loom.tree_purge': purge(writer, [reader, searches]),
      'loom.watch': feed.watch,
      'loom.backup': async ({ path }) =>
        backup({
          database: paths.database,
          outputs: paths.outputs,
          // The tools have it beside the database.
          files: join(dirname(paths.database), 'files'),
          copy: resolve(path),
          epoch: newId(),
          entry: workers.copier,
        }),
    },
    async close() {
      // The writing thread is the last one with the database open: only that can empty the WAL.
      await Promise.all([reader.close(), searches.close(), checks.close()]);
      await writer.close();
      await blobs.close();
    },
  };
}

function readHandlers(reader: ReaderThread): Handlers {
  const read = (method: ReadMethod) => [
    method,
    (params: unknown, context: CallContext) => reader.call(method, params, context),
  ];
  return Object.fromEntries(READ_METHODS.map(read));
}

type SearchThread = Pick<ReaderThread, 'forget' | 'close'> & { run: Handler<'loom.search'> };

/** Searches have a reading thread of their own: a text of megabytes, or an expression that backtracks, is looked at in one slice. */
function searchThread(start: () => ReaderThread): SearchThread {
  let thread: ReaderThread | null = null;
  let isClosed = false;
  return {
    async run(params, context) {
      if (isClosed) throw new HubError('storage_failed', 'the storage is closed');
      thread ??= start();
      return thread.call('loom.search', params, context);
    },
    forget: () => thread?.forget(),
    async close() {
      isClosed = true;
      await thread?.close();
    },
  };
}

/**
 * Checks have a reading thread of their own while they run: SQLite looks through a whole file at once, for a second. They run one
 * after the other, since each holds what it has read.
 */
function createChecks(start: () => ReaderThread): { run: Handler<'loom.fsck'>; close(): Promise<void> } {
  let last: Promise<unknown> = Promise.resolve();
  let left = 0;
  let reader: ReaderThread | null = null;
  let isClosed = false;

  async function end(): Promise<void> {
    const ending = reader;
    reader = null;
    await ending?.close();
  }

  return {
    run(params, context) {
      left += 1;
      const check = last.then(() => {
        if (isClosed) throw new HubError('storage_failed', 'the storage is closed');
        reader ??= start();
        return reader.call('loom.fsck', params, context);
      });
      last = check
        .catch(() => undefined) // its caller gets the failure
        .then(() => {
          left -= 1;
          return left === 0 ? end() : undefined;
        });
      return raceAbort(check, context.signal, () => new HubError('cancelled', 'the call was cancelled'));
    },
    /** Waits for a thread that is ending, too: it has the database open until then. */
    async close() {
      isClosed = true;
      await end();
      await last;
    },
  };
}

type WriteMethod = Exclude<keyof typeof WRITE_OPS, 'loom.tree_purge'>;

function writeHandlers(writer: WriterThread, newId: () => string): { [M in WriteMethod]: Handler<M> } {
  const write = (op: WriteMethod) => (params: unknown, context: CallContext) => writer.call(op, params, context);
  const create = (op: WriteMethod) => (params: { id?: string | undefined }, context: CallContext) =>
    writer.call(op, { ...params, id: params.id ?? newId() }, context);
  return {
    'loom.tree_create': create('loom.tree_create'),
    'loom.tree_fork': create('loom.tree_fork'),
    'loom.tree_update': write('loom.tree_update'),
    'loom.tree_archive': write('loom.tree_archive'),
    'loom.tree_restore': write('loom.tree_restore'),
    'loom.tree_import': write('loom.tree_import'),
    'loom.mark_set': write('loom.mark_set'),
    'loom.branch_archive': write('loom.branch_archive'),
    'loom.branch_restore': write('loom.branch_restore'),
    'loom.node_create_text': create('loom.node_create_text'),
    'loom.node_create_external': create('loom.node_create_external'),
    'loom.step_create': (params, context) => writer.call('loom.step_create', withCallIds(params, newId), context),
    'loom.node_check': write('loom.node_check'),
    'loom.settings_put': write('loom.settings_put'),
    'loom.settings_trust': write('loom.settings_trust'),
    'loom.turn_start': create('loom.turn_start'),
    'loom.turn_record_answer': write('loom.turn_record_answer'),
    'loom.turn_record_result': write('loom.turn_record_result'),
    'loom.turn_commit_step': write('loom.turn_commit_step'),
    'loom.turn_end': write('loom.turn_end'),
    'loom.turn_park': write('loom.turn_park'),
    'loom.turn_answer': write('loom.turn_answer'),
    'loom.question_withdraw': write('loom.question_withdraw'),
    'loom.input_add': create('loom.input_add'),
    'loom.input_take': write('loom.input_take'),
    'loom.input_drop': write('loom.input_drop'),
    'loom.request_start': create('loom.request_start'),
    'loom.request_end': write('loom.request_end'),
    'loom.snapshot_add': write('loom.snapshot_add'),
    'loom.snapshot_import': write('loom.snapshot_import'),
    'loom.copy_add': write('loom.copy_add'),
    'loom.copy_remove': write('loom.copy_remove'),
    'loom.share_set': write('loom.share_set'),
    'loom.share_files_set': write('loom.share_files_set'),
    'loom.share_remove': write('loom.share_remove'),
    'loom.share_apply': write('loom.share_apply'),
  };
}

// Derived from the step's id, so that a retry that names only the step finds the same nodes.
function withCallIds(params: ParsedOf<'loom.step_create'>, newId: () => string): unknown {
  const id = params.id ?? newId();
  const calls = params.calls.map((call, index) => ({ ...call, id: call.id ?? derivedId(`${id} ${index}`) }));
  return { ...params, calls, id };
}

function blobHandlers(blobs: Blobs): Pick<Handlers, 'loom.blob_write' | 'loom.blob_read'> {
  return {
    'loom.blob_write': async ({ upload, offset, data, done }) => ({
      output: await blobs.write({ upload, offset, bytes: Buffer.from(data, 'base64'), done }),
    }),
    'loom.blob_read': async (range) => {
      const { bytes, sizeBytes } = await blobs.read(range);
      return { data: bytes.toString('base64'), size_bytes: sizeBytes };
    },
  };
}

function purge(writer: WriterThread, readers: Pick<ReaderThread, 'forget'>[]): Handler<'loom.tree_purge'> {
  return async (params, context): Promise<RawJson> => {
    const answer = await writer.call('loom.tree_purge', params, context);
    if (params.confirm !== null) for (const reader of readers) reader.forget();
    return answer;
  };
}
