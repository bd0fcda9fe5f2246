import { HubError } from '../base/error.js';
import { callHub, type InternalCaller } from '../base/internal_call.js';
import type { ParsedOf, ResultOf } from '../protocol/methods/method_table.js';
import { NodeId, type Tree, TreeId, type TreeName } from '../protocol/node.js';
import { findSession, namesOf, placeOfSession, sessionOf } from './project_sessions.js';

/** Finds a session, or starts it: nothing but its root is in it then. */
export async function openSession(
  reach: InternalCaller,
  { id, project, session }: ParsedOf<'history.session_open'>,
  newId: () => string,
): Promise<ResultOf<'history.session_open'>> {
  const known = session === null ? null : await findSession(reach, project, session);
  if (known !== null) {
    return { session: sessionOf(known), tree: known.id, node: await placeOfSession(reach, known.id), is_new: false };
  }
  const tree = id ?? TreeId.parse(newId());
  const made = await create(reach, { tree, project, names: session === null ? [null] : namesOf(session, project) });
  return { session: sessionOf(made), tree, node: NodeId.parse(tree), is_new: true };
}

interface NewSession {
  tree: TreeId;
  project: string;
  names: readonly (TreeName | null)[];
}

/** Takes the first name that no other project has. */
async function create(reach: InternalCaller, { tree, project, names }: NewSession): Promise<Tree> {
  const [name = null, ...others] = names;
  try {
    return await callHub(reach, 'loom.tree_create', { id: tree, name, project, owner: null });
  } catch (error) {
    if (others.length === 0 || !(error instanceof HubError && error.kind === 'conflict')) throw error;
    return create(reach, { tree, project, names: others });
  }
}
