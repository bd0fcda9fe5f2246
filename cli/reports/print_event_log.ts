import { aborted } from '../../hub/base/abort.js';
import { detach } from '../../hub/base/detach.js';
import { HubError } from '../../hub/base/error.js';
import { logHeader, logNode, usageBook } from '../../hub/base/event_log_line.js';
import { within } from '../../hub/base/wait_at_most.js';
import type { Client } from '../../hub/client/client.js';
import type { WatchEvent } from '../../hub/protocol/feed_events.js';
import type { Node, Tree } from '../../hub/protocol/node.js';
import type { AgentEvent } from '../../hub/protocol/turn.js';
import type { Context } from '../command_line/command_context.js';
import type { LogOutput } from './event_log_output.js';

const REQUESTS_PAGE = 1_000;
/** How long a line waits for the usage of its request. */
const USAGE_MS_MAX = 2_000;
/** The most lines that may wait for a slow reader. */
const WAITING_MAX = 1_000;
/** Events that carry pieces of what a node later holds whole. */
const PARTIAL = new Set<AgentEvent['kind']>(['text_added', 'thinking_added', 'call_output']);

/** Prints what happened in a tree until now. */
export async function printLog(context: Context, tree: Tree, output: LogOutput): Promise<void> {
  const client = await context.client();
  const log = await openLog(client, tree, output);
  const stop = new AbortController();
  await client.watch({
    ...{ tree: tree.id, since: 0, signal: stop.signal },
    onEvent(event) {
      if (event.kind === 'watch_live') stop.abort();
      return event.kind === 'node_created' ? log.addPast(event.node) : undefined;
    },
  });
  await log.flush();
}

/** The same, and then what happens, until the tree is purged or the program is ended. */
export async function followLog(context: Context, tree: Tree, output: LogOutput): Promise<void> {
  const client = await context.client();
  const log = await openLog(client, tree, output);
  const stop = new AbortController();
  const failures: unknown[] = [];
  // Events are read on while lines are written.
  const unawaited = (work: Promise<void>): void =>
    detach(work, (error) => {
      failures.push(error);
      stop.abort();
    });
  let isLive = false;
  const onEvent = (event: WatchEvent): void | Promise<void> => {
    if (event.kind === 'node_created' && !isLive) return log.addPast(event.node);
    if (event.kind === 'node_created') unawaited(log.addLive(event.node));
    if (event.kind === 'watch_live' && !isLive) {
      isLive = true;
      unawaited(log.flush());
      unawaited(
        followTurns(client, tree, { onEvent: (turnEvent) => unawaited(log.event(turnEvent)), signal: stop.signal }),
      );
    }
    if (event.kind === 'watch_reset') context.note('These are other trees than before: the hub has another database.');
    if (event.kind === 'tree_purged') stop.abort();
  };
  await client.watch({ tree: tree.id, since: 0, signal: stop.signal, onEvent });
  await log.flush().catch((error: unknown) => void failures.push(error));
  if (failures.length > 0) throw failures[0];
  context.note('The conversation was purged.');
}

/** Prints the lines of a log, one after the other. */
async function openLog(client: Client, tree: Tree, output: LogOutput) {
  const book = usageBook(() => client.pages('loom.request_list', { tree: tree.id, limit: REQUESTS_PAGE }, 'requests'));
  // Before the nodes come: nothing can be asked of the hub while it waits for the reader of those.
  await book.readAll();
  await output.begin(logHeader(tree, client.hub.epoch));
  let last = Promise.resolve();
  let waiting = 0;
  let nextUsage = new AbortController();

  function inOrder(work: () => Promise<void>): Promise<void> {
    waiting += 1;
    last = last.then(work).finally(() => {
      waiting -= 1;
    });
    return last;
  }

  async function liveUsage(node: Node) {
    for (;;) {
      const { signal } = nextUsage;
      book.renew();
      const { usage, isAwaited } = await book.usageOf(node);
      if (!output.waitsForUsage || !isAwaited) return usage;
      await within(USAGE_MS_MAX, aborted(signal));
      if (!signal.aborted) return usage;
    }
  }

  return {
    flush: () => inOrder(output.flush),
    addPast: (node: Node) => inOrder(async () => output.node(logNode(node, (await book.usageOf(node)).usage))),
    addLive: (node: Node) => inOrder(async () => output.node(logNode(node, await liveUsage(node))).then(output.flush)),
    async event(event: AgentEvent): Promise<void> {
      if (event.kind === 'usage_counted' || event.kind === 'turn_ended') {
        nextUsage.abort();
        nextUsage = new AbortController();
      }
      // What a slow reader has no room for is in no node, or comes with one.
      if (!PARTIAL.has(event.kind) && waiting < WAITING_MAX)
        await inOrder(() => output.event(event).then(output.flush));
    },
  };
}

interface Following {
  onEvent(event: AgentEvent): void;
  signal: AbortSignal;
}

/** Follows the turns of a tree, also when the hub ends and starts again. */
async function followTurns(client: Client, tree: Tree, following: Following): Promise<void> {
  while (!following.signal.aborted) {
    await client
      .stream('agent.follow', { tree: tree.id }, { ...following, startsHub: false })
      .catch((error: unknown) => {
        // The retries were used up without an event in between; nothing was lost.
        const isLost = error instanceof HubError && error.kind === 'unreachable' && error.retryable;
        if (!isLost && !following.signal.aborted) throw error;
      });
  }
}
