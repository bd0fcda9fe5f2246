import { HubError } from '../../hub/base/error.js';
import { logHeader, logNode, type UsageBook, usageBook } from '../../hub/base/event_log_line.js';
import type { Client } from '../../hub/client/client.js';
import type { WatchEvent } from '../../hub/protocol/feed_events.js';
import type { Node, Tree } from '../../hub/protocol/node.js';
import type { AgentEvent } from '../../hub/protocol/turn.js';
import type { Context } from '../command_line/command_context.js';
import type { LogOutput } from './event_log_output.js';

const REQUESTS_PAGE = 1_000;
/** How long a line waits for what its request used. */
const USAGE_MS_MAX = 2_000;

/** How much may wait for a slow reader. */
const WAITING_MAX = 1_000;
/** What comes in pieces and is whole in a node later. */
const PASSING = new Set<AgentEvent['kind']>(['text_added', 'thinking_added', 'call_output']);

/** Prints what happened in a tree until now. */
export async function printLog(context: Context, tree: Tree, output: LogOutput): Promise<void> {
  const client = await context.client();
  const enough = new AbortController();
  const past = await pastOf(client, tree, output);
  await client.watch({
    ...{ tree: tree.id, since: 0, signal: enough.signal },
    onEvent(event) {
      if (event.kind === 'watch_live') enough.abort();
      return event.kind === 'node_created' ? past.take(event.node) : undefined;
    },
  });
  await past.end();
}

/** The same, and then what happens, until the tree is purged or the program is ended. */
export async function followLog(context: Context, tree: Tree, output: LogOutput): Promise<void> {
  const client = await context.client();
  const enough = new AbortController();
  const past = await pastOf(client, tree, output);
  const live = liveLog(past.book, output, enough);
  let isLive = false;
  const onEvent = (event: WatchEvent): void | Promise<void> => {
    if (event.kind === 'node_created') return isLive ? live.node(event.node) : past.take(event.node);
    if (event.kind === 'watch_live' && !isLive) {
      isLive = true;
      live.inOrder(past.end);
      follow().catch(live.fail);
    }
    if (event.kind === 'watch_reset') context.note('These are other trees than before: the hub has another database.');
    if (event.kind === 'tree_purged') enough.abort();
  };
  const follow = (): Promise<void> => followTurns(client, tree, { onEvent: live.event, signal: enough.signal });
  await client.watch({ tree: tree.id, since: 0, signal: enough.signal, onEvent });
  await live.end();
  context.note('The conversation was purged.');
}

/** Lines of what is there already: what its requests used is read before, for nothing can be asked while it comes. */
async function pastOf(client: Client, tree: Tree, output: LogOutput) {
  const book = usageBook(() => client.pages('loom.request_list', { tree: tree.id, limit: REQUESTS_PAGE }, 'requests'));
  await book.readAll();
  await output.begin(logHeader(tree, client.hub.epoch));
  // Several events may come before it is waited for the first.
  let last = Promise.resolve();
  const write = async (node: Node): Promise<void> => output.take(logNode(node, (await book.usageOf(node)).usage));
  return {
    book,
    take(node: Node): Promise<void> {
      last = last.then(() => write(node));
      return last;
    },
    end: () => last.then(output.flush),
  };
}

/** Lines of what happens now, one after the other; the reading of events goes on meanwhile. */
function liveLog(book: UsageBook, output: LogOutput, enough: AbortController) {
  let last: Promise<void> = Promise.resolve();
  let failure: unknown = null;
  let counted = (): void => undefined;
  const fail = (error: unknown): void => {
    failure ??= error;
    enough.abort();
  };
  let waiting = 0;
  const inOrder = (work: () => Promise<void>): void => {
    waiting += 1;
    last = last
      .then(work)
      .then(output.flush)
      .catch(fail)
      .finally(() => {
        waiting -= 1;
      });
  };
  const usageOf = async (node: Node) => {
    for (;;) {
      const wait = nextCount((tell) => (counted = tell));
      book.renew();
      const { usage, isAwaited } = await book.usageOf(node);
      if (!output.waitsForUsage || !isAwaited || !(await wait())) return usage;
    }
  };
  return {
    ...{ fail, inOrder },
    node: (node: Node): void => inOrder(async () => output.take(logNode(node, await usageOf(node)))),
    event(event: AgentEvent): void {
      if (event.kind === 'usage_counted' || event.kind === 'turn_ended') counted();
      // What a slow reader has no room for is in no node, or comes with one.
      if (!PASSING.has(event.kind) && waiting < WAITING_MAX) inOrder(() => output.happened(event));
    },
    async end(): Promise<void> {
      await last;
      if (failure !== null) throw failure;
    },
  };
}

/** Listens from now on; what it returns waits, and tells whether something was counted in time. */
function nextCount(listen: (tell: () => void) => void): () => Promise<boolean> {
  let isCounted = false;
  let tell = (): void => {
    isCounted = true;
  };
  listen(() => tell());
  return () =>
    new Promise((resolve) => {
      if (isCounted) return resolve(true);
      const timer = setTimeout(() => resolve(false), USAGE_MS_MAX);
      tell = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
}

interface Following {
  onEvent(event: AgentEvent): void;
  signal: AbortSignal;
}

/** Follows the turns of a tree over every end of the hub. */
async function followTurns(client: Client, tree: Tree, following: Following): Promise<void> {
  while (!following.signal.aborted) {
    await client
      .stream('agent.follow', { tree: tree.id }, { ...following, startsHub: false })
      .catch((error: unknown) => {
        // It has been sent again too often without a word in between; nothing was lost by that.
        const isLost = error instanceof HubError && error.kind === 'unreachable' && error.retryable;
        if (!isLost && !following.signal.aborted) throw error;
      });
  }
}
