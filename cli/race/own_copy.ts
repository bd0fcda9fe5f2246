import { cliCommand } from '../../hub/base/hint.js';
import { OWN_COPY } from '../../hub/protocol/limits.js';
import type { NodeId, TreeId, TurnId } from '../../hub/protocol/node.js';
import type { Context } from '../command_line/command_context.js';
import { workFolder } from '../position/project_folder.js';
import { cleanLine } from '../render/text/clean.js';

type CopyPlace = { tree: TreeId; node: NodeId; turn: TurnId };

/** Makes the copy of the project in which a turn is going to work. */
export async function makeOwnCopy(context: Context, place: CopyPlace): Promise<void> {
  await makeCopy(context, place, false);
  const pick = cliCommand('pick', '1', place.tree);
  context.note(['It works in a copy of the project, and so does what follows. Take what it has made with: ', pick]);
}

/** The same with the files that its branch has. */
export async function makeCopyOfBranch(context: Context, place: CopyPlace): Promise<void> {
  await makeCopy(context, place, true);
}

async function makeCopy(context: Context, place: CopyPlace, isRecorded: boolean): Promise<void> {
  const client = await context.client();
  const project = workFolder(await client.call('loom.tree_get', { tree: place.tree }), context.project);
  const { told } = await client.call('files.copy_make', {
    ...place,
    project,
    label: OWN_COPY,
    as_recorded: isRecorded,
  });
  for (const line of told) context.note(cleanLine(line));
}
