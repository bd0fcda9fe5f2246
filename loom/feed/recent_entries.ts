import type { FeedEntry, PublishedEntry } from '../store/thread_messages.js';

/** How much is kept in memory for watchers that are nearly up to date; others read the database. */
const ENTRIES_MAX = 1_000;
const LENGTH_MAX = 8 * 1024 * 1024;

/** The newest entries of the feed, as many as fit. */
export interface RecentEntries {
  keep(entry: PublishedEntry): void;
  newest(): number;
  /** The entries after a number; null when some of them are not in memory any more. */
  after(seq: number): FeedEntry[] | null;
}

/** Begins empty: all entries up to `lastSeq` are on the disk only. */
export function createRecentEntries(lastSeq: number): RecentEntries {
  const entries: FeedEntry[] = [];
  let length = 0;
  let newest = lastSeq;
  // Every entry after this number is in memory.
  let since = lastSeq;
  return {
    keep({ seq, tree, json }) {
      newest = seq;
      if (json === null) {
        entries.length = 0;
        length = 0;
        since = seq;
        return;
      }
      entries.push({ seq, tree, json });
      length += json.length;
      while (entries.length > ENTRIES_MAX || length > LENGTH_MAX) {
        const oldest = entries.shift();
        if (oldest === undefined) return;
        length -= oldest.json.length;
        since = oldest.seq;
      }
    },
    newest: () => newest,
    after(seq) {
      return seq < since ? null : entries.slice(entries.findLastIndex((entry) => entry.seq <= seq) + 1);
    },
  };
}
