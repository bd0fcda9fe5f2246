import { within } from '../base/wait_at_most.js';
import type { TreeId } from '../protocol/node.js';
import type { OpenRemote, Remote } from './remote_connection.js';

/** On which hubs tell each other in which trees there is something new. */
const CHANNEL = 'cognition';
/** The same of turns. */
const TURNS_CHANNEL = 'cognition_turns';
/** As many ids as the server lets one notification hold. */
const IDS_MAX = 200;
const PROBE_MS_MAX = 2_000;

/** Tells the other hubs that there is something new in these trees. */
export function announce(remote: Remote, trees: Iterable<TreeId>): Promise<void> {
  return notify(remote, CHANNEL, trees);
}

/** Tells the other hubs that in these trees a turn is another than before, or something was said to one. */
export function announceTurns(remote: Remote, trees: Iterable<TreeId>): Promise<void> {
  return notify(remote, TURNS_CHANNEL, trees);
}

async function notify(remote: Remote, channel: string, trees: Iterable<TreeId>): Promise<void> {
  const ids = [...trees];
  for (let from = 0; from < ids.length; from += IDS_MAX)
    await remote.query('SELECT pg_notify($1, $2)', [channel, ids.slice(from, from + IDS_MAX).join(',')]);
}

/** Calls back for what others announce. Returns whether it is heard here: what shares connections between callers takes it away. */
export async function hearAnnounced(
  remote: OpenRemote,
  tell: { entries(ids: string[]): void; turns(ids: string[]): void },
): Promise<boolean> {
  let isHeard = false;
  let onHeard = (): void => undefined;
  const hearOwn = (): void => {
    isHeard = true;
    onHeard();
  };
  try {
    await remote.listen(CHANNEL, (payload, isOwn) => (isOwn ? hearOwn() : tell.entries(payload.split(','))));
    await remote.listen(TURNS_CHANNEL, (payload, isOwn) => (isOwn ? undefined : tell.turns(payload.split(','))));
    await remote.query('SELECT pg_notify($1, $2)', [CHANNEL, '']);
  } catch {
    return false; // a replica, or what only speaks like PostgreSQL
  }
  const heard = new Promise<void>((resolve) => {
    onHeard = resolve;
  });
  if (!isHeard) await within(PROBE_MS_MAX, heard);
  return isHeard;
}
