import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { CallContext, Handler, Handlers, Plugin, RawJson } from '../hub/base/plugin.js';
import type { ParsedOf, ResultOf } from '../hub/protocol/methods/method_table.js';
import { createFeed, type Feed } from './feed/watch.js';
import { READ_METHODS, type ReadMethod } from './read/read_methods.js';
import { type Blobs, openBlobs } from './store/blobs.js';
import { dashed } from './store/rows.js';
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

/** The storage of trees, with the state that the hub needs. */
export interface LoomPlugin extends Plugin {
  epoch: string;
  status(): 'ok' | 'read_only';
  /** Writing calls that have not been answered. */
  busy(): number;
}

/** Opens the storage: first the writing thread, which migrates the database, then the reading thread. */
export async function openLoom(options: LoomOptions): Promise<LoomPlugin> {
  const { paths, clock, newId, workers } = options;
  const blobs = await openBlobs(paths);
  let publish: Feed['publish'] | null = null;
  const writer = await startWriter(
    { database: paths.database, outputs: paths.outputs, atMs: clock(), newEpoch: newId() },
    { entry: workers.writer, clock, onFeed: (entries) => publish?.(entries) },
  );
  const reader = startReader(workers.reader, {
    ...{ database: paths.database, searchIndex: paths.searchIndex, outputs: paths.outputs },
  });
  const feed = createFeed({ epoch: writer.epoch, lastSeq: writer.lastSeq, read: reader.feed });
  publish = feed.publish;
  return {
    name: 'loom',
    version: '1.0.0',
    epoch: writer.epoch,
    status: () => (writer.isReadOnly() ? 'read_only' : 'ok'),
    busy: writer.waiting,
    methods: {
      ...readHandlers(reader),
      ...writeHandlers(writer, newId),
      ...blobHandlers(blobs),
      'loom.tree_purge': purge(writer, reader, paths.logs),
      'loom.watch': feed.watch,
      'loom.backup': async ({ path }) =>
        backup({
          database: paths.database,
          outputs: paths.outputs,
          copy: resolve(path),
          epoch: newId(),
          entry: workers.copier,
        }),
    },
    async close() {
      await writer.close();
      await reader.close();
      await blobs.close();
    },
  };
}

function readHandlers(reader: ReaderThread): Handlers {
  const read = (method: ReadMethod) => [
    method,
    (params: unknown, { signal }: CallContext) => reader.call(method, params, signal),
  ];
  return Object.fromEntries(READ_METHODS.map(read));
}

type WriteMethod = Exclude<keyof typeof WRITE_OPS, 'loom.tree_purge'>;

function writeHandlers(writer: WriterThread, newId: () => string): { [M in WriteMethod]: Handler<M> } {
  const write = (op: WriteMethod) => (params: unknown) => writer.call(op, params);
  const create = (op: WriteMethod) => (params: { id?: string | undefined }) =>
    writer.call(op, { ...params, id: params.id ?? newId() });
  return {
    'loom.tree_create': create('loom.tree_create'),
    'loom.tree_update': write('loom.tree_update'),
    'loom.tree_archive': write('loom.tree_archive'),
    'loom.tree_restore': write('loom.tree_restore'),
    'loom.tree_import': write('loom.tree_import'),
    'loom.mark_set': write('loom.mark_set'),
    'loom.branch_archive': write('loom.branch_archive'),
    'loom.branch_restore': write('loom.branch_restore'),
    'loom.node_create_text': create('loom.node_create_text'),
    'loom.node_create_external': create('loom.node_create_external'),
    'loom.step_create': (params) => writer.call('loom.step_create', withCallIds(params, newId)),
    'loom.settings_put': write('loom.settings_put'),
    'loom.turn_start': create('loom.turn_start'),
    'loom.turn_record_answer': write('loom.turn_record_answer'),
    'loom.turn_record_result': write('loom.turn_record_result'),
    'loom.turn_commit_step': write('loom.turn_commit_step'),
    'loom.turn_end': write('loom.turn_end'),
    'loom.turn_park': write('loom.turn_park'),
    'loom.turn_answer': write('loom.turn_answer'),
    'loom.input_add': create('loom.input_add'),
    'loom.input_take': write('loom.input_take'),
    'loom.input_drop': write('loom.input_drop'),
    'loom.request_start': create('loom.request_start'),
    'loom.request_end': write('loom.request_end'),
  };
}

// Derived from the step's id, so that a retry that names only the step finds the same nodes.
function withCallIds(params: ParsedOf<'loom.step_create'>, newId: () => string): unknown {
  const id = params.id ?? newId();
  const calls = params.calls.map((call, index) => ({ ...call, id: call.id ?? derivedId(`${id} ${index}`) }));
  return { ...params, calls, id };
}

/** A UUID of version 8, RFC 9562's form for derived ids. */
function derivedId(from: string): string {
  const hex = createHash('sha256').update(from).digest('hex');
  return dashed(`${hex.slice(0, 12)}8${hex.slice(13, 16)}8${hex.slice(17, 32)}`);
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

function purge(writer: WriterThread, reader: ReaderThread, logs: string): Handler<'loom.tree_purge'> {
  return async (params): Promise<RawJson> => {
    const answer = await writer.call('loom.tree_purge', params);
    if (params.confirm === null) return answer;
    reader.forget();
    const { owned }: ResultOf<'loom.tree_purge'> = JSON.parse(answer.text); // written by this method's own schema
    for (const id of [params.tree, ...owned.map((tree) => tree.id)]) {
      for (const name of [`${id}.jsonl`, `${id}.jsonl.old`]) await rm(join(logs, name), { force: true });
    }
    return answer;
  };
}
