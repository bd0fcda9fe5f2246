import { cliCommand } from '../../hub/base/hint.js';
import type { NodeId, TreeId, TurnId } from '../../hub/protocol/node.js';
import type { Context } from '../command_line/command_context.js';
import { workFolder } from '../position/project_folder.js';

/** Makes the copy of the project in which a turn is going to work. */
export async function makeOwnCopy(
  context: Context,
  place: { tree: TreeId; node: NodeId; turn: TurnId },
): Promise<void> {
  const client = await context.client();
  const project = workFolder(await client.call('loom.tree_get', { tree: place.tree }), context.project);
  await client.call('files.copy_make', { ...place, project, label: 'own' });
  context.note(['It works in a copy of the project. Take what it has made with: ', cliCommand('pick', '1')]);
}
