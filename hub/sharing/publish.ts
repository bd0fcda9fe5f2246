import { HubError } from '../base/error.js';
import { callHub, type InternalCaller } from '../base/internal_call.js';
import type { Share } from '../protocol/methods/sharing_methods.js';
import type { TreeId } from '../protocol/node.js';
import { type EntryPage, type PageEntry, readPage } from './read_page.js';
import type { Remote } from './remote_connection.js';
import { sendOutputs } from './shared_outputs.js';
import { textArray } from './text_array.js';

const PUBLISH = 'SELECT * FROM cognition.publish($1, $2, $3, $4, $5, $6, $7, $8)';

// One look into the index for each: as a join it could be planned as a reading of the whole tree.
const THERE = `SELECT id FROM unnest($2::text[]) AS asked (id)
  WHERE (SELECT true FROM cognition.entries there WHERE there.tree = $1 AND there.id = asked.id LIMIT 1)`;

const PAGE_ENTRIES = 2_000;
/** From so many entries on a remote is asked first which of them it has. */
const LOOKED_UP_FROM = 100;

export interface Publishing {
  share: Share;
  hub: string;
  /** Told after each page. */
  onSent(entries: number): void;
}

/** Sends what the remote lacks of a tree; twice is once. Returns false where the tree was deleted. */
export async function publishTree(reach: InternalCaller, remote: Remote, publishing: Publishing): Promise<boolean> {
  const { tree, sent, fetched: fetchedBefore } = publishing.share;
  let fetched = fetchedBefore;
  let count = 0;
  let noting: Promise<unknown> = Promise.resolve();
  // What nothing was sent of and nothing fetched has nothing there that need be asked for.
  const isNew = fetched === 0 && sent === 0;
  for await (const page of pagesAfter(reach, tree.id, sent)) {
    const entries = isNew ? page.entries.map(asOwn) : await lackingOf(remote, tree.id, page.entries);
    if (entries.length > 0) {
      // Who reads an entry finds its outputs.
      await sendOutputs(reach, remote, { tree: tree.id, outputs: page.outputs });
      const numbers = await sendEntries(remote, publishing, entries);
      if (numbers === null) return false;
      count += numbers.last - numbers.first;
      // What only this hub has written need not be fetched again.
      if (numbers.first === fetched) fetched = numbers.last;
      publishing.onSent(count);
      // What is late is tried again the next time.
      if (numbers.late > 0) throw tooLate(remote, numbers.late);
    }
    await noting;
    // The next page goes meanwhile: a note that is lost is no more than a page that is sent twice.
    noting = callHub(reach, 'loom.share_set', { remote: remote.name, tree: tree.id, sent: page.to, fetched });
    noting.catch(() => undefined); // told when it is waited for
  }
  await noting;
  return true;
}

/** Returns the numbers between which they lie, and how many were left out as later than now; null where the tree was deleted. */
async function sendEntries(
  remote: Remote,
  { share: { tree }, hub }: Publishing,
  entries: readonly SentEntry[],
): Promise<{ first: number; last: number; late: number } | null> {
  const [row] = await remote.query<Record<'first' | 'last' | 'late', string | null>>(PUBLISH, [
    ...[tree.id, tree.owner?.tree ?? null, hub, tree.node_count, tree.name, tree.title],
    ...[textArray(entries.map(({ id }) => id)), textArray(entries.map(({ body }) => body))],
  ]);
  if (row?.first == null) return null;
  return { first: Number(row.first), last: Number(row.last), late: Number(row.late) };
}

/** Each page is read while the one before is on its way. */
async function* pagesAfter(reach: InternalCaller, tree: TreeId, after: number): AsyncGenerator<EntryPage> {
  const read = (from: number): Promise<EntryPage> => {
    const page = readPage(reach, { tree, after: from, limit: PAGE_ENTRIES });
    page.catch(() => undefined); // told when it is waited for
    return page;
  };
  let next: Promise<EntryPage> | null = read(after);
  while (next !== null) {
    const page: EntryPage = await next;
    next = page.more ? read(page.to) : null;
    yield page;
  }
}

type SentEntry = Omit<PageEntry, 'own'>;
const asOwn = (entry: PageEntry): SentEntry => entry.own ?? entry;

/** What a remote lacks; a decision of another hub, which came over another remote, is sent as one of this hub. */
async function lackingOf(remote: Remote, tree: string, entries: readonly PageEntry[]): Promise<SentEntry[]> {
  // Of a few it is no more to send them: what is there already is not taken twice.
  const unsure = entries.length > LOOKED_UP_FROM ? entries : entries.filter(({ own }) => own !== undefined);
  if (unsure.length === 0) return [...entries];
  const rows = await remote.query<{ id: string }>(THERE, [tree, textArray(unsure.map(({ id }) => id))]);
  const there = new Set(rows.map(({ id }) => id));
  return entries.filter(({ id }) => !there.has(id)).map(asOwn);
}

function tooLate({ name }: Remote, count: number): HubError {
  const what = count === 1 ? 'a name, mark or archive state is' : `${count} names, marks and archive states are`;
  return new HubError('conflict', `${what} later than now by the clock of ${name}; all else was sent`, {
    hint: 'set the clock of this machine right: what it decides is sent when that time has come',
  });
}
