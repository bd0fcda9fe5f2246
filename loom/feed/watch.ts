import { onAbort } from '../../hub/base/abort.js';
import { type CallContext, RawJson } from '../../hub/base/plugin.js';
import type { ParsedOf } from '../../hub/protocol/methods/method_table.js';
import type { FeedPage, FeedParams } from '../read/read_methods.js';
import type { FeedEntry, PublishedEntry } from '../store/thread_messages.js';
import { createEmitTurns, EVENTS_AT_ONCE } from './emit_turns.js';
import { createRecentEntries } from './recent_entries.js';

const PAGE = 200;

interface FeedSource {
  epoch: string;
  /** The newest number at the start. */
  lastSeq: number;
  read(params: FeedParams, context: CallContext): Promise<FeedPage>;
}

export interface Feed {
  publish(entries: readonly PublishedEntry[]): void;
  /** Sends the feed after `since` and follows it until the signal aborts. No entry is skipped or sent twice. */
  watch(params: ParsedOf<'loom.watch'>, context: CallContext): Promise<{ seq: number }>;
}

/** The feed. Each watcher has an offset in it and catches up at its own speed, from memory or disk. */
export function createFeed(source: FeedSource): Feed {
  const recent = createRecentEntries(source.lastSeq);
  // What wakes each watcher that is up to date.
  const sleepers = new Set<() => void>();
  const turns = createEmitTurns();

  /** A page from the disk, or all the rest from memory. */
  async function after(since: number, tree: string | null, context: CallContext): Promise<FeedPage> {
    const unseen = recent.after(since);
    if (unseen === null) return source.read({ tree, since, until: recent.newest(), limit: PAGE }, context);
    return { events: unseen.filter((entry) => tree === null || entry.tree === tree), seq: recent.newest() };
  }

  function startOf({ since, epoch }: ParsedOf<'loom.watch'>): { at: number; isForeign: boolean } {
    const newest = recent.newest();
    const isForeign = (epoch !== null && epoch !== source.epoch) || (since !== null && since > newest);
    return { isForeign, at: isForeign || since === null ? newest : since };
  }

  async function emitInTurns(events: readonly FeedEntry[], { signal, emit }: CallContext): Promise<void> {
    for (let sent = 0; sent < events.length && !signal.aborted; sent += EVENTS_AT_ONCE) {
      const some = events.slice(sent, sent + EVENTS_AT_ONCE);
      await turns.wait(some.length);
      for (const event of some) emit(new RawJson(event.json));
    }
  }

  async function watch(params: ParsedOf<'loom.watch'>, context: CallContext) {
    const { signal, emit, drained } = context;
    const start = startOf(params);
    if (start.isForeign) emit({ kind: 'watch_reset', seq: start.at, epoch: source.epoch });
    const sleep = sleeper(sleepers, signal);
    const catchUp = async (from: number): Promise<number> => {
      let at = from;
      while (at < recent.newest() && !signal.aborted) {
        const page = await after(at, params.tree, context);
        // Without a wait when few watch: the events of a commit go before its answers.
        if (turns.takeNow(page.events.length)) for (const event of page.events) emit(new RawJson(event.json));
        else await emitInTurns(page.events, context);
        at = page.seq;
        await drained();
      }
      return at;
    };
    let at = await catchUp(start.at);
    emit({ kind: 'watch_live', seq: at, epoch: source.epoch });
    while (!signal.aborted) {
      // No await between this check and the sleep, or an entry could be missed.
      if (at >= recent.newest()) await sleep();
      at = await catchUp(at);
    }
    return { seq: at };
  }

  return {
    publish(entries) {
      if (entries.length === 0) return;
      for (const entry of entries) recent.keep(entry);
      for (const wake of sleepers) wake();
    },
    watch,
  };
}

/** Sleeps until an entry is published or the signal aborts. */
function sleeper(sleepers: Set<() => void>, signal: AbortSignal): () => Promise<void> {
  let wake: (() => void) | null = null;
  onAbort(signal, () => wake?.());
  return async () => {
    await new Promise<void>((resolve) => {
      wake = resolve;
      sleepers.add(resolve);
    });
    if (wake !== null) sleepers.delete(wake);
  };
}
