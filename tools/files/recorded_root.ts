import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import type { NodeId, Sha256, TreeId } from '../../hub/protocol/node.js';
import type { HubLink } from '../base/tool_parts.js';
import type { StoredProject } from './project_workers.js';

/** Names the files that are recorded for a node, those that were made there, and those recorded last for its tree. */
export async function rootAt(
  hub: HubLink,
  project: StoredProject,
  { tree, node }: { tree: TreeId; node: NodeId },
): Promise<Record<'root' | 'made' | 'newest', Sha256>> {
  const { at, made, newest } = await hub.call('loom.snapshot_find', { tree, node, folder: project.id });
  if (at !== null) return { root: at.root, made: made?.root ?? at.root, newest: newest?.root ?? at.root };
  throw new HubError('not_found', `no files of ${project.path} are recorded for this node or one above it`, {
    hint: ['what models and commands change is recorded after: ', cliCommand('config set', 'files.record', 'true')],
  });
}
