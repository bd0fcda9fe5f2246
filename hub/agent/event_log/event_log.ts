import { join } from 'node:path';
import { logHeader, logNode, type UsageBook, usageBook } from '../../base/event_log_line.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import { type CallContext, type HubCalls, type HubResolve, RawJson } from '../../base/plugin.js';
import type { LogNode } from '../../protocol/event_log.js';
import type { WatchEvent } from '../../protocol/feed_events.js';
import type { ResultOf } from '../../protocol/methods/method_table.js';
import type { Node, TreeId } from '../../protocol/node.js';
import type { AgentEvent } from '../../protocol/turn.js';
import type { AgentParts } from '../agent_parts.js';
import type { RunningTurn } from '../turn/running_turn.js';
import { appendLines, beginLog, type LogEnd, logEnd } from './event_log_file.js';

const REQUESTS_PAGE = 100;

interface EventLogParts {
  hub: HubCalls & HubResolve;
  /** Where the logs are. */
  folder: string;
  /** In which feed this home's numbers stand. */
  epoch: string;
  /** Whether a turn runs in a tree: then what its requests used may still come. */
  isRunning(tree: TreeId): boolean;
  log: AgentParts['log'];
}

/** The logs of trees in which turns run: `<tree>.jsonl`, a line per node, from the root on. */
export interface EventLogs {
  /** Brings the log of a turn's tree up to date whenever it has committed something. */
  follow(turn: RunningTurn): void;
  /** Brings the log of a tree up to date in which no turn runs. */
  wake(tree: TreeId): void;
  /** Resolves when all that was begun is written. */
  end(): Promise<void>;
}

/** After these there is something to write; not before the first request is on its way, which must not wait for it. */
const WRITTEN_AFTER = new Set<AgentEvent['kind']>([
  ...([
    'request_started',
    'step_committed',
    'context_compacted',
    'input_taken',
    'usage_counted',
    'turn_parked',
    'turn_ended',
  ] as const),
]);

export function createEventLogs(parts: EventLogParts): EventLogs {
  /** The trees that are being written, and whether there is more since that was begun. */
  const writing = new Map<TreeId, { again: boolean; work: Promise<void> }>();
  const warned = new Set<TreeId>();

  async function write(tree: TreeId): Promise<void> {
    for (let at = writing.get(tree); at?.again === true; ) {
      at.again = false;
      await catchUp(parts, tree).catch((error: unknown) => {
        // The tree has everything, and the next step tries again.
        if (!warned.has(tree)) parts.log('warn', `the log of ${tree} could not be written: ${String(error)}`);
        warned.add(tree);
      });
    }
    writing.delete(tree);
  }

  function wake(tree: TreeId): void {
    const known = writing.get(tree);
    if (known !== undefined) {
      known.again = true;
      return;
    }
    const entry = { again: true, work: Promise.resolve() };
    writing.set(tree, entry);
    entry.work = write(tree);
  }

  return {
    wake,
    follow(turn) {
      let isBegun = false;
      const unfollow = turn.follow({
        emit(event) {
          isBegun = true; // one that cannot begin tells nothing
          if (WRITTEN_AFTER.has(event.kind)) wake(turn.tree);
        },
        hasRoom: () => false,
      });
      const ended = (): void => {
        unfollow();
        if (isBegun) wake(turn.tree);
      };
      turn.outcome.then(ended, ended);
    },
    async end() {
      await Promise.all([...writing.values()].map(({ work }) => work));
    },
  };
}

/** Writes what the feed has of a tree after the last line of its log. */
async function catchUp(parts: EventLogParts, tree: TreeId): Promise<void> {
  const stop = new AbortController();
  const reach: InternalCaller = { hub: parts.hub, context: { ...SILENT, signal: new AbortController().signal } };
  const path = join(parts.folder, `${tree}.jsonl`);
  const found = await logEnd(path);
  const isOurs = found?.header.tree === tree && found.header.epoch === parts.epoch;
  let end = found !== null && isOurs ? found : await beginLog(path, await headerOf(reach, parts, tree));
  const book = usageBook(() => requestsOf(reach, tree));
  let nodes: Node[] = [];
  const context: CallContext = {
    ...SILENT,
    signal: stop.signal,
    emit(event) {
      if (!(event instanceof RawJson)) return stop.abort(); // all that there is has been sent
      const entry: WatchEvent = JSON.parse(event.text); // storage wrote it by this method's own schema
      if (entry.kind === 'node_created') nodes.push(entry.node);
    },
    async drained() {
      const lines = await linesFor(nodes, { book, waits: parts.isRunning(tree) });
      if (lines.length < nodes.length) stop.abort();
      nodes = [];
      if (lines.length > 0) end = await added(path, end, lines);
    },
  };
  await callHub({ hub: parts.hub, context }, 'loom.watch', { tree, since: end.seq, epoch: null, stream: 'log' });
}

/** The lines of nodes, as far as it is known what their requests used. */
async function linesFor(
  nodes: readonly Node[],
  { book, waits }: { book: UsageBook; waits: boolean },
): Promise<LogNode[]> {
  book.renew();
  const lines: LogNode[] = [];
  for (const node of nodes) {
    const { usage, isAwaited } = await book.usageOf(node);
    if (isAwaited && waits) return lines;
    lines.push(logNode(node, usage));
  }
  return lines;
}

async function added(path: string, end: LogEnd, lines: readonly LogNode[]): Promise<LogEnd> {
  const sizeBytes = await appendLines(path, { at: end.sizeBytes, lines });
  return { ...end, sizeBytes, seq: lines.at(-1)?.seq ?? end.seq };
}

async function headerOf(reach: InternalCaller, { epoch }: EventLogParts, tree: TreeId) {
  return logHeader(await callHub(reach, 'loom.tree_get', { tree }), epoch);
}

async function* requestsOf(
  reach: InternalCaller,
  tree: TreeId,
): AsyncGenerator<ResultOf<'loom.request_list'>['requests'][number]> {
  let cursor: string | null = null;
  do {
    const page: ResultOf<'loom.request_list'> = await callHub(reach, 'loom.request_list', {
      ...{ tree, turn: null, cursor, limit: REQUESTS_PAGE },
    });
    yield* page.requests;
    cursor = page.cursor;
  } while (cursor !== null);
}

const SILENT: Omit<CallContext, 'signal'> = {
  caller: { kind: 'internal' },
  emit: () => undefined,
  hasRoom: () => true,
  drained: () => Promise.resolve(),
};
