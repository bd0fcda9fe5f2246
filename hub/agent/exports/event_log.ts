import { join } from 'node:path';
import { logHeader, logNode, type UsageBook, usageBook } from '../../base/event_log_line.js';
import { callHub, type InternalCaller, ownContext } from '../../base/internal_call.js';
import { type CallContext, type HubCalls, type HubResolve, RawJson } from '../../base/plugin.js';
import type { LogNode } from '../../protocol/event_log.js';
import type { WatchEvent } from '../../protocol/feed_events.js';
import type { ResultOf } from '../../protocol/methods/method_table.js';
import type { Node, TreeId } from '../../protocol/node.js';
import type { AgentParts } from '../agent_parts.js';
import type { RunningTurn } from '../turn/running_turn.js';
import { appendLines, beginLog, readLogEnd } from './event_log_file.js';
import { createExportQueue, onProgress } from './export_queue.js';

const REQUESTS_PAGE = 100;

interface EventLogParts {
  hub: HubCalls & HubResolve;
  /** Where the logs are. */
  folder: string;
  /** In which feed this home's numbers stand. */
  epoch: string;
  /** Whether a turn runs in a tree: then the usage of its requests may still come. */
  isRunning(tree: TreeId): boolean;
  log: AgentParts['log'];
}

/** The logs of trees in which turns run: `<tree>.jsonl`, a line per node, from the root on. */
export interface EventLogs {
  /** Keeps the log of a turn's tree up to date until the turn ends. */
  follow(turn: RunningTurn): void;
  /** Brings the log of a tree up to date. */
  update(tree: TreeId): void;
  /** Resolves when all that was begun is written. */
  end(): Promise<void>;
}

export function createEventLogs(parts: EventLogParts): EventLogs {
  const queue = createExportQueue();
  const warned = new Set<TreeId>();

  function update(tree: TreeId): void {
    const path = join(parts.folder, `${tree}.jsonl`);
    queue.add(path, tree, async () => {
      try {
        await catchUp(parts, tree, path);
      } catch (error) {
        // The tree has everything, and the next step tries again.
        if (!warned.has(tree)) parts.log('warn', `the log of ${tree} could not be written: ${String(error)}`);
        warned.add(tree);
      }
    });
  }

  return {
    update,
    end: queue.allDone,
    follow(turn) {
      let hasBegun = false; // a turn that cannot begin reports nothing
      const unfollow = onProgress(turn, () => {
        hasBegun = true;
        update(turn.tree);
      });
      const end = (): void => {
        unfollow();
        if (hasBegun) update(turn.tree);
      };
      turn.outcome.then(end, end);
    },
  };
}

/** Writes what the feed has of a tree after the last line of its log. */
async function catchUp(parts: EventLogParts, tree: TreeId, path: string): Promise<void> {
  const { hub, epoch } = parts;
  const reach: InternalCaller = { hub, context: ownContext(new AbortController().signal) };
  const stored = await readLogEnd(path);
  const isOurs = stored?.header.tree === tree && stored.header.epoch === epoch;
  const header = async () => logHeader(await callHub(reach, 'loom.tree_get', { tree }), epoch);
  let end = stored !== null && isOurs ? stored : await beginLog(path, await header());
  const book = usageBook(() => requestsOf(reach, tree));
  const stop = new AbortController();
  let nodes: Node[] = [];
  const context: CallContext = {
    ...ownContext(stop.signal),
    emit(event) {
      if (!(event instanceof RawJson)) return stop.abort(); // all that there is has been sent
      const entry: WatchEvent = JSON.parse(event.text); // storage wrote it by this method's own schema
      if (entry.kind === 'node_created') nodes.push(entry.node);
    },
    async drained() {
      const lines = await linesFor(nodes, book, parts.isRunning(tree));
      if (lines.length < nodes.length) stop.abort();
      nodes = [];
      if (lines.length > 0) end = await appendLines(path, end, lines);
    },
  };
  await callHub({ hub, context }, 'loom.watch', { tree, since: end.seq, epoch: null, stream: 'log' });
}

/** The lines of nodes; with `waits` up to the first one whose usage is still to be counted. */
async function linesFor(nodes: readonly Node[], book: UsageBook, waits: boolean): Promise<LogNode[]> {
  book.renew();
  const lines: LogNode[] = [];
  for (const node of nodes) {
    const { usage, isAwaited } = await book.usageOf(node);
    if (isAwaited && waits) return lines;
    lines.push(logNode(node, usage));
  }
  return lines;
}

type Requests = ResultOf<'loom.request_list'>;

async function* requestsOf(reach: InternalCaller, tree: TreeId): AsyncGenerator<Requests['requests'][number]> {
  let cursor: string | null = null;
  do {
    const params = { tree, turn: null, cursor, limit: REQUESTS_PAGE };
    const page: Requests = await callHub(reach, 'loom.request_list', params);
    yield* page.requests;
    cursor = page.cursor;
  } while (cursor !== null);
}
