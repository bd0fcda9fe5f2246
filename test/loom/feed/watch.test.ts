import { describe, expect, test } from 'vitest';
import { RawJson } from '../../../hub/base/plugin.js';
import { createFeed, type Feed } from '../../../loom/feed/watch.js';
import type { FeedParams } from '../../../loom/read/read_methods.js';
import type { FeedEntry } from '../../../loom/store/thread_messages.js';

const entry = (seq: number, tree = 'a'): FeedEntry => ({ seq, tree, json: `{"seq":${seq}}` });
const entries = (from: number, to: number, tree = 'a') =>
  Array.from({ length: to - from + 1 }, (_, index) => entry(from + index, tree));

/** A feed whose entries up to a number are on the disk, and the questions that the disk was asked. */
function feedOf(stored: FeedEntry[]) {
  const reads: FeedParams[] = [];
  const feed = createFeed({
    epoch: 'now',
    lastSeq: stored.at(-1)?.seq ?? 0,
    async read(params) {
      reads.push(params);
      const { tree, since, until, limit } = params;
      const inRange = stored.filter(
        ({ seq, tree: of }) => seq > since && seq <= until && (tree === null || of === tree),
      );
      const events = inRange.slice(0, limit);
      return { events, seq: inRange.length > limit ? (events.at(-1)?.seq ?? until) : until };
    },
  });
  return { feed, reads };
}

/** A watcher that notes what it is sent, and can be waited for. */
function watch(
  feed: Feed,
  params: { tree?: string; since?: number; epoch?: string },
  drained: () => Promise<void> = () => Promise.resolve(),
) {
  const stop = new AbortController();
  const seen: (number | string)[] = [];
  const waiting: { until: number | string; resolve: () => void }[] = [];
  const emit = (event: object | RawJson) => {
    const told = event instanceof RawJson ? JSON.parse(event.text) : event;
    seen.push('kind' in told ? `${told.kind} ${told.seq}` : told.seq);
    for (const { until, resolve } of waiting) if (seen.includes(until)) resolve();
  };
  const ended = feed.watch(
    // The watch compares ids and gives them to the source; it does not look into them.
    { tree: null, since: null, epoch: null, stream: 's', ...params } as Parameters<Feed['watch']>[0],
    { signal: stop.signal, emit, hasRoom: () => true, drained, caller: { kind: 'client', connection: 1 } },
  );
  const saw = (until: number | string) =>
    seen.includes(until) ? Promise.resolve() : new Promise<void>((resolve) => waiting.push({ until, resolve }));
  const end = () => {
    stop.abort();
    return ended;
  };
  return { seen, saw, end };
}

describe('a watcher', () => {
  test('reads missed entries in pages, then goes live', async () => {
    const { feed, reads } = feedOf(entries(1, 450));
    const watcher = watch(feed, { since: 0 });
    await watcher.saw('watch_live 450');
    feed.publish([entry(451)]);
    await watcher.saw(451);
    expect(await watcher.end()).toEqual({ seq: 451 });
    expect(watcher.seen).toEqual([...entries(1, 450).map(({ seq }) => seq), 'watch_live 450', 451]);
    expect(reads.map(({ since }) => since)).toEqual([0, 200, 400]);
  });

  test('without a number begins with the next entry', async () => {
    const { feed } = feedOf(entries(1, 5));
    const watcher = watch(feed, {});
    await watcher.saw('watch_live 5');
    feed.publish([entry(6), entry(7)]);
    await watcher.saw(7);
    expect(watcher.seen).toEqual(['watch_live 5', 6, 7]);
  });

  test('is sent a large entry from the disk, in its place', async () => {
    const stored = entries(1, 5);
    const { feed, reads } = feedOf(stored);
    const watcher = watch(feed, {});
    await watcher.saw('watch_live 5');
    stored.push(...entries(6, 8));
    feed.publish([entry(6), { ...entry(7), json: null }, entry(8)]);
    await watcher.saw(8);
    feed.publish([entry(9)]);
    await watcher.saw(9);
    expect(watcher.seen).toEqual(['watch_live 5', 6, 7, 8, 9]);
    expect(reads.map(({ since, until }) => [since, until])).toEqual([[5, 8]]);
  });

  test('of one tree receives that tree only', async () => {
    const { feed } = feedOf([entry(1, 'a'), entry(2, 'b')]);
    const watcher = watch(feed, { tree: 'b', since: 0 });
    await watcher.saw('watch_live 2');
    feed.publish([entry(3, 'a'), entry(4, 'b')]);
    await watcher.saw(4);
    expect(watcher.seen).toEqual([2, 'watch_live 2', 4]);
  });

  test.each([
    ['another epoch', { since: 3, epoch: 'before' }],
    ['a place that the feed has not reached', { since: 99 }],
  ])('with %s is told to forget what it knows', async (_what, params) => {
    const { feed } = feedOf(entries(1, 5));
    const watcher = watch(feed, params);
    await watcher.saw('watch_live 5');
    expect(watcher.seen).toEqual(['watch_reset 5', 'watch_live 5']);
  });

  test('that is slow misses nothing, even beyond what memory holds', async () => {
    const stored = entries(1, 10);
    const { feed } = feedOf(stored);
    const gate: { open?: () => void } = {};
    const opened = new Promise<void>((resolve) => {
      gate.open = resolve;
    });
    const watcher = watch(feed, { since: 0 }, () => opened);
    for (let seq = 11; seq <= 3_000; seq++) {
      stored.push(entry(seq));
      feed.publish([entry(seq)]);
    }
    gate.open?.();
    await watcher.saw('watch_live 3000');
    expect(watcher.seen).toEqual([...entries(1, 3_000).map(({ seq }) => seq), 'watch_live 3000']);
  });
});
