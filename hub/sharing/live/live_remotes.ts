import { detach } from '../../base/detach.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import type { Appended } from '../../base/plugin.js';
import type { LiveEvent } from '../../protocol/methods/live_methods.js';
import type { TreeId } from '../../protocol/node.js';
import { requireAddress } from '../remote_connection.js';
import { internalCaller } from './internal_caller.js';
import { createLink, type LinkParts, type RemoteLink } from './remote_link.js';

export interface LiveRemotesParts extends Omit<LinkParts, 'name' | 'address' | 'tell'> {
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
  end(): Promise<void>;
}

export function createLiveRemotes(parts: LiveRemotesParts): LiveRemotes {
  const links = new Map<string, RemoteLink>();
  const states = new Map<string, LiveEvent>();
  const followers = new Set<(event: LiveEvent) => void>();
  const ending = new AbortController();
  const reach = internalCaller(parts.hub, ending.signal);

  const isShared = (remote: string, tree: TreeId): boolean => links.get(remote)?.isShared(tree) === true;

  function tell(event: LiveEvent): void {
    if (event.kind === 'remote_state') {
      if (JSON.stringify(states.get(event.remote)) === JSON.stringify(event)) return;
      states.set(event.remote, event);
    }
    for (const follower of followers) follower(event);
  }

  function end(name: string): void {
    const link = links.get(name);
    links.delete(name);
    if (link === undefined) return;
    tell({ kind: 'remote_state', remote: name, away: false, to_send: 0 });
    states.delete(name);
    detach(link.end(), (error) => parts.log('warn', String(error)));
  }

  async function refresh(): Promise<void> {
    if (ending.signal.aborted) return;
    const trees = parts.isLive() ? await sharedTrees(parts, reach) : new Map<string, string[]>();
    for (const name of links.keys()) if (!trees.has(name)) end(name);
    for (const [name, shared] of trees) {
      const known = links.get(name);
      const link = known ?? createLink({ ...parts, name, address: () => requireAddress(parts, name), tell });
      links.set(name, link);
      link.setShared(shared);
      known?.wake();
    }
  }

  return {
    note(entries) {
      for (const link of links.values()) for (const entry of entries) noteFor(link, entry);
    },
    refresh,
    follow(tree, follower) {
      const isAbout = (event: LiveEvent): boolean =>
        tree === null || (event.kind === 'remote_state' ? isShared(event.remote, tree) : event.tree === tree);
      const take = (event: LiveEvent): void => (isAbout(event) ? follower(event) : undefined);
      for (const state of states.values()) take(state);
      followers.add(take);
      return () => void followers.delete(take);
    },
    async end() {
      ending.abort();
      await Promise.all([...links.values()].map((link) => link.end()));
    },
  };
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
