import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HubError } from '../../hub/base/error.js';
import { METHODS, type MethodName, type ParamsOf, type ResultOf } from '../../hub/protocol/methods/method_table.js';
import { openDatabase } from '../../loom/store/open_database.js';
import type { Store } from '../../loom/store/store.js';
import type { FeedEntry, WorkerReply } from '../../loom/store/thread_messages.js';
import { fromWorkerError } from '../../loom/store/worker_error.js';
import { recoverFromCrash } from '../../loom/threads/crash_recovery.js';
import { APPENDS, WRITE_OPS } from '../../loom/threads/write_operations.js';
import { type Committed, createCommitter } from '../../loom/write/commit.js';
import { leaseOutput, sweeper } from '../../loom/write/loose_files.js';
import { clockInSteps, idsInOrder } from './ids.js';
import { type Append, grow, type Picture } from './trees.js';

type WriteMethod = keyof typeof WRITE_OPS & MethodName;

/** The write operations on a real database file, in this thread, so that a test sees each commit. */
export interface TestWriter {
  folder: string;
  store: Store;
  feed: FeedEntry[];
  newId: () => string;
  write<M extends WriteMethod>(method: M, params: ParamsOf<M>): ResultOf<M>;
  /** Performs writes as one batch, which shares one commit. */
  writeTogether(calls: [WriteMethod, object][]): (object | HubError)[];
  /** A tree made from pictures: its id, and the ids of its nodes by name. */
  plant(...pictures: Picture[]): Promise<{ tree: string; ids: Record<string, string> }>;
  /** Sets the clock that calls are stamped with. */
  setClock(nowMs: number): void;
  /** Says that an output is being stored, as a `loom.blob_write` does. */
  lease(sha256: string): void;
  /** While held loose files stay, as if the hub were killed before it removes them. */
  holdSweep(held: boolean): void;
  /** Closes and opens the database, as a restarted hub does. */
  restart(): void;
}

const CREATES: readonly string[] = [
  'loom.tree_create',
  'loom.tree_fork',
  'loom.node_create_text',
  'loom.node_create_external',
  'loom.turn_start',
];

// Several writers make different ids.
let writersOpen = 0;

export async function withWriter(run: (writer: TestWriter) => Promise<void> | void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'cognition-writer-'));
  const writer = openWriterAt(folder);
  writersOpen += 1;
  try {
    await run(writer);
  } finally {
    writersOpen -= 1;
    writer.store.close();
    rmSync(folder, { recursive: true });
  }
}

/** The write operations on the database in a folder, whose store is to be closed. */
export function openWriterAt(folder: string): TestWriter {
  const newId = idsInOrder(String(writersOpen).padStart(8, '0'));
  let clock = clockInSteps();
  const path = join(folder, 'trees.db');
  const outputs = join(folder, 'outputs');
  const feed: FeedEntry[] = [];
  const ops = { ...WRITE_OPS, start: recoverFromCrash, lease: leaseOutput };
  const sweep = sweeper({ outputs, logs: join(folder, 'logs'), searchIndex: join(folder, 'search.db') });
  let isHeld = false;
  const sweepUnlessHeld: typeof sweep = (context, params) => (isHeld ? '{}' : sweep(context, params));
  const open = () => {
    const store = openDatabase(path, 'test-epoch');
    return { store, committer: createCommitter({ store, outputs, ops, sweep: sweepUnlessHeld, appends: APPENDS }) };
  };
  let opened = open();
  const commit = (calls: { op: string; params: unknown }[]): WorkerReply[] => {
    const numbered = calls.map((call, index) => ({ id: index, atMs: clock(), ...call }));
    const { replies, feed: entries }: Committed = opened.committer.commit(numbered);
    // None is large here.
    feed.push(...entries.map((entry) => ({ ...entry, json: entry.json ?? '' })));
    return replies;
  };
  const parsed = (method: WriteMethod, params: object) => ({
    op: method,
    params: withIds(method, METHODS[method].params.parse(params), newId),
  });
  const answers = (replies: WorkerReply[]) =>
    replies.map((reply) => ('error' in reply ? fromWorkerError(reply.error) : JSON.parse(reply.json)));
  const write: TestWriter['write'] = (method, params) => {
    const [answer] = answers(commit([parsed(method, params)]));
    if (answer instanceof HubError) throw answer;
    return answer;
  };
  return {
    folder,
    feed,
    newId,
    write,
    get store() {
      return opened.store;
    },
    writeTogether: (calls) => answers(commit(calls.map(([method, params]) => parsed(method, params)))),
    async plant(...pictures) {
      const { id: tree } = write('loom.tree_create', {});
      const append: Append = (method, params) => write(method, params as never); // pictures make what each method takes
      return { tree, ids: await grow(append, { tree, parent: tree }, pictures) };
    },
    lease: (sha256) => void commit([{ op: 'lease', params: { sha256 } }]),
    holdSweep(held) {
      isHeld = held;
    },
    setClock(nowMs) {
      clock = clockInSteps(nowMs);
    },
    restart() {
      opened.store.close();
      opened = open();
      commit([{ op: 'start', params: {} }]);
    },
  };
}

// As the plugin does for callers without ids.
function withIds(method: string, params: object, newId: () => string): object {
  if (CREATES.includes(method)) return { id: newId(), ...defined(params) };
  if (method !== 'loom.step_create' || !('calls' in params) || !Array.isArray(params.calls)) return params;
  const id = newId();
  return { id, ...defined(params), calls: params.calls.map((call) => ({ id: newId(), ...defined(call) })) };
}

function defined(params: object): object {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined));
}
