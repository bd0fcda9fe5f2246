import { detach } from '../../base/detach.js';
import { callHub, type InternalCaller, ownContext } from '../../base/internal_call.js';
import type { Appended, HubCalls, HubResolve, Log } from '../../base/plugin.js';
import type { SharedProject } from '../../config/shared_projects.js';
import type { Tree } from '../../protocol/node.js';

interface NewTreesParts {
  hub: HubCalls & HubResolve;
  log: Log;
  /** What the person shares as a whole, now. */
  sharedProjects(): SharedProject[];
  /** Something is shared that was not. */
  onShared(): void;
}

/** Shares each new conversation of a project that the person shares as a whole; what was imported is none. */
export function createNewTrees(parts: NewTreesParts): (entries: readonly Appended[]) => void {
  const reach = { hub: parts.hub, context: ownContext(new AbortController().signal) };
  return (entries) => {
    for (const { json } of entries) {
      if (json?.startsWith('{"kind":"tree_created"') !== true) continue;
      const { tree } = JSON.parse(json);
      detach(shareNew(parts, reach, tree), (error) => parts.log('warn', `sharing a new tree: ${String(error)}`));
    }
  };
}

async function shareNew({ sharedProjects, onShared }: NewTreesParts, reach: InternalCaller, tree: Tree): Promise<void> {
  if (tree.project === null || tree.owner !== null) return;
  for (const { remote, project } of sharedProjects()) {
    if (project !== tree.project || !(await isOwn(reach, remote, tree))) continue;
    await callHub(reach, 'loom.share_set', { remote, tree: tree.id, sent: 0, fetched: 0 });
    onShared();
  }
}

/** A copy of one that is private stays so. */
async function isOwn(reach: InternalCaller, remote: string, tree: Tree): Promise<boolean> {
  if (tree.forked_from === null) return tree.message_count === 0;
  const { shares } = await callHub(reach, 'loom.share_list', { remote, tree: tree.forked_from.tree });
  return shares.length > 0;
}
