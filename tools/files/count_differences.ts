import type { ParsedOf, ResultOf } from '../../hub/protocol/methods/method_table.js';
import type { NodeId, Sha256 } from '../../hub/protocol/node.js';
import type { HubLink } from '../base/tool_parts.js';
import type { ProjectWorkers } from './project_workers.js';

/** Counts what differs between places in a tree. Most places share their files with others, so few are compared. */
export function createCounting(hub: HubLink, workers: ProjectWorkers) {
  return async (params: ParsedOf<'files.count'>): Promise<ResultOf<'files.count'>> => {
    const { project: path, tree, node, nodes } = params;
    const project = await workers.project(path);
    const rootOf = async (one: NodeId): Promise<Sha256 | null> =>
      (await hub.call('loom.snapshot_find', { tree, node: one, folder: project.id })).at?.root ?? null;
    const [before, ...roots] = await Promise.all([node, ...nodes].map(rootOf));
    if (before === null || before === undefined) return { counts: nodes.map(() => null) };
    const known = new Map<Sha256, number>([[before, 0]]);
    for (const after of roots) {
      if (after === null || known.has(after)) continue;
      const { changed } = await workers.ask(project, { kind: 'diff', before, after, detail: 'names' });
      known.set(after, changed);
    }
    return { counts: roots.map((root) => (root === null ? null : (known.get(root) ?? null))) };
  };
}
