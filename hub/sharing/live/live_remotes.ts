import { detach } from '../../base/detach.js';
import { callHub, type InternalCaller, ownContext } from '../../base/internal_call.js';
import type { Appended } from '../../base/plugin.js';
import type { LeasedTurn, LiveEvent, TurnElsewhere, TurnMessage } from '../../protocol/methods/live_methods.js';
import type { TreeId, TurnId } from '../../protocol/node.js';
import { createQueue } from '../call_queue.js';
import { requireAddress } from '../remote_connection.js';
import { createLink, type LinkParts, type RemoteLink } from './remote_link.js';
import { createDelivery } from './turn_messages.js';
import { followOwnTurns } from './turns_here.js';

export interface LiveRemotesParts extends Omit<LinkParts, 'name' | 'address' | 'tell' | 'deliver'> {
  /** The address of a remote; null for one that is not named. */
  addressOf(name: string): string | null;
  /** Whether hubs keep connections to remotes; otherwise all is taken over on request only. */
  isLive(): boolean;
}

/** The connections that stay: one for each remote over which something is shared. */
export interface LiveRemotes {
  /** Takes note of what was appended; at once, and in memory. */
  note(entries: readonly Appended[]): void;
  /** To be called when what is shared, or where, may have changed. */
  refresh(): Promise<void>;
  /** Tells how it stands, and what happens from now on; returns what ends that. */
  follow(tree: TreeId | null, tell: (event: LiveEvent) => void): () => void;
  /** The turns that other hubs have in shared trees. */
  turns(): TurnElsewhere[];
  /** Says something to one of them; null when there is none of this id. */
  say(turn: TurnId, message: TurnMessage): Promise<unknown>;
  /** Tells whoever follows. */
  tell(event: LiveEvent): void;
  end(): Promise<void>;
}

export function createLiveRemotes(parts: LiveRemotesParts): LiveRemotes {
  const links = new Map<string, RemoteLink>();
  const { tell, follow } = createFollowers(links);
  const ending = new AbortController();
  const reach = { hub: parts.hub, context: ownContext(ending.signal) };
  const deliver = createDelivery(reach);
  const queue = createQueue();
  let own: LeasedTurn[] | null = null;
  let tellOwn = async (): Promise<void> => undefined;

  function begin(name: string): RemoteLink {
    const link = createLink({ ...parts, name, deliver, address: () => requireAddress(parts, name), tell });
    links.set(name, link);
    if (own !== null) link.turns.setOwn(own);
    own ??= followOwn();
    return link;
  }

  function followOwn(): LeasedTurn[] {
    tellOwn = followOwnTurns(parts, ending.signal, (turns) => {
      own = turns;
      for (const link of links.values()) link.turns.setOwn(turns);
    });
    return [];
  }

  function end(name: string): void {
    const link = links.get(name);
    if (link === undefined) return;
    tell({ kind: 'remote_state', remote: name, away: false, to_send: 0 });
    links.delete(name);
    detach(link.end(), (error) => parts.log('warn', String(error)));
  }

  async function lookAgain(): Promise<void> {
    if (ending.signal.aborted) return;
    const trees = parts.isLive() ? await sharedTrees(parts, reach) : new Map<string, string[]>();
    for (const name of links.keys()) if (!trees.has(name)) end(name);
    for (const [name, shared] of trees) {
      const known = links.get(name);
      (known ?? begin(name)).setShared(shared);
      known?.wake();
    }
  }

  return {
    note(entries) {
      for (const link of links.values()) for (const entry of entries) noteFor(link, entry);
    },
    // One after the other: what is read later is true.
    refresh: () => queue('refresh', lookAgain),
    follow,
    tell,
    turns: () => turnsOf(links),
    say: (turn, message) => sayTo(links, turn, message),
    async end() {
      // How its turns have ended is told before it goes.
      await tellOwn();
      ending.abort();
      await Promise.all([...links.values()].map((link) => link.end()));
    },
  };
}

/** Who is told what, and how it stands. */
function createFollowers(links: ReadonlyMap<string, RemoteLink>) {
  const states = new Map<string, string>();
  const followers = new Set<(event: LiveEvent) => void>();
  const isShared = (remote: string, tree: TreeId): boolean => links.get(remote)?.isShared(tree) === true;
  return {
    tell(event: LiveEvent): void {
      if (event.kind === 'remote_state') {
        const state = JSON.stringify(event);
        if (states.get(event.remote) === state) return;
        states.set(event.remote, state);
      }
      for (const follower of followers) follower(event);
    },
    follow(tree: TreeId | null, follower: (event: LiveEvent) => void): () => void {
      const isAbout = (event: LiveEvent): boolean =>
        tree === null || (event.kind === 'remote_state' ? isShared(event.remote, tree) : event.tree === tree);
      const take = (event: LiveEvent): void => (isAbout(event) ? follower(event) : undefined);
      for (const state of states.values()) take(JSON.parse(state));
      for (const turn of turnsOf(links)) take(turn);
      for (const [remote, link] of links)
        for (const [tree, problem] of link.problems()) take({ kind: 'tree_stopped', remote, tree, problem });
      followers.add(take);
      return () => void followers.delete(take);
    },
  };
}

const turnsOf = (links: ReadonlyMap<string, RemoteLink>): TurnElsewhere[] =>
  [...links.values()].flatMap((link) => link.turns.elsewhere());

async function sayTo(links: ReadonlyMap<string, RemoteLink>, turn: TurnId, message: TurnMessage): Promise<unknown> {
  const link = [...links.values()].find(({ turns }) => turns.knows(turn));
  return link === undefined ? null : link.turns.say(turn, message);
}

/** What is shared over each remote that has an address. */
async function sharedTrees(parts: LiveRemotesParts, reach: InternalCaller): Promise<Map<string, string[]>> {
  const { shares } = await callHub(reach, 'loom.share_list', { remote: null, tree: null });
  const trees = new Map<string, string[]>();
  for (const { remote, tree } of shares) {
    const known = trees.get(remote);
    if (known !== undefined) known.push(tree.id);
    else if (parts.addressOf(remote) !== null) trees.set(remote, [tree.id]);
  }
  return trees;
}

function noteFor(link: RemoteLink, { tree, json }: Appended): void {
  if (link.isShared(tree)) link.noteAppended(tree);
  else if (json?.startsWith('{"kind":"tree_created"') === true) {
    const owner: string | undefined = JSON.parse(json).tree.owner?.tree;
    if (owner !== undefined && link.isShared(owner)) link.noteOwned(tree, owner);
  }
}
