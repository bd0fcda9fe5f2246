import { basename } from 'node:path';
import { callHub, type InternalCaller } from '../base/internal_call.js';
import { MarkName, NodeId, type Tree, type TreeId, TreeName } from '../protocol/node.js';

/** The mark at which a session goes on, where something beside it was said in its tree. */
const SESSION_MARK = MarkName.parse('session');
/** What the marks of questions beside a session begin with. */
const ASIDE_MARK = 'aside ';
/** More ends than these are not looked at. */
const LEAVES_MAX = 50;

/** Names of trees are those of the whole home: where another project has this one, the project is added to it. */
export function namesOf(session: TreeName, project: string): [TreeName, ...TreeName[]] {
  const longer = TreeName.safeParse(`${session} (${basename(project)})`);
  return longer.success ? [session, longer.data] : [session];
}

/** A session of a project by its name, or by the id of its tree; null for none. */
export async function findSession(reach: InternalCaller, project: string, session: TreeName): Promise<Tree | null> {
  for (const name of namesOf(session, project)) {
    const { matches } = await callHub(reach, 'loom.tree_find', { ref: name });
    const found = matches.find(
      (tree) =>
        tree.project === project && tree.archived_at_ms === null && (tree.name === name || `${tree.id}` === name),
    );
    if (found !== undefined) return found;
  }
  return null;
}

/** What a session is gone on with by. */
export function sessionOf({ name, id, project }: Pick<Tree, 'name' | 'id' | 'project'>): string {
  const suffix = project === null ? '' : ` (${basename(project)})`;
  if (name === null) return id;
  return suffix !== '' && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
}

/** Where a session goes on: the newest end below its mark, else of the tree, but for what was only asked beside it. */
export async function placeOfSession(reach: InternalCaller, tree: TreeId): Promise<NodeId> {
  const { marks } = await callHub(reach, 'loom.mark_list', { tree, cursor: null, limit: 1_000 });
  const under = marks.find(({ name }) => name === SESSION_MARK)?.node ?? NodeId.parse(tree);
  const asides = new Set(marks.flatMap(({ name, node }) => (name.startsWith(ASIDE_MARK) ? [node] : [])));
  const { leaves } = await callHub(reach, 'loom.context_list_leaves', {
    ...{ tree, under, archived: false, cursor: null, limit: LEAVES_MAX },
  });
  for (const { node } of leaves) {
    if (asides.size === 0 || !(await isAside(reach, node.id, { under, asides }))) return node.id;
  }
  return under;
}

/** Whether the way down to an end leads through something that was asked beside. */
async function isAside(
  reach: InternalCaller,
  leaf: NodeId,
  { under, asides }: { under: NodeId; asides: ReadonlySet<NodeId> },
): Promise<boolean> {
  const { node: top } = await callHub(reach, 'loom.node_get', { node: under, tree: null });
  const params = { node: leaf, from_depth: top.depth + 1, cursor: null, limit: 5_000 };
  const { nodes } = await callHub(reach, 'loom.context_get_path', params);
  return nodes.some(({ id }) => asides.has(id));
}
