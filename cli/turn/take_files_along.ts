import { HubError } from '../../hub/base/error.js';
import type { NodeId, Tree } from '../../hub/protocol/node.js';
import type { Input } from '../command_line/command.js';
import type { Context } from '../command_line/command_context.js';
import { knownPosition } from '../position/position.js';
import { workFolder } from '../position/project_folder.js';
import { movedNotes, namedCount } from '../render/reports/moved_files.js';

export const FILES_FLAGS = [
  { name: 'files', short: null, description: 'first bring the files of the project to what they were there' },
  { name: 'carry', short: null, description: 'the same, and take along what you have changed yourself' },
  { name: 'leave', short: null, description: 'the same, and keep what you have changed for where you are' },
] as const;

type FilesInput = Input<never, (typeof FILES_FLAGS)[number]['name'], never>;

/** Brings the files to those of a node before something is done there, where the command line says so. */
export async function takeFilesAlong(
  context: Context,
  { tree, node }: { tree: Tree; node: NodeId },
  input: FilesInput,
): Promise<void> {
  const isLeft = input.flag('leave');
  if (!input.flag('files') && !input.flag('carry') && !isLeft) return;
  const client = await context.client();
  const from = (await knownPosition({ ...context, note: () => undefined }, tree)) ?? node;
  const project = workFolder(tree, context.project);
  const taken = input.flag('carry') ? 'carry' : 'ask';
  const changes = isLeft ? 'leave' : taken;
  const moved = await client.call('files.move', { project, tree: tree.id, node, from, changes });
  if (moved.outcome === 'differs' || moved.outcome === 'busy') {
    const why =
      moved.outcome === 'busy' ? 'a turn is running in this folder' : `changed since, ${namedCount(moved.own)}`;
    throw new HubError('conflict', `nothing was asked, and the files stay as they are: ${why}`, {
      hint:
        moved.outcome === 'busy'
          ? 'wait for its end'
          : 'take them along with --carry, or keep them for where you are with --leave',
    });
  }
  for (const note of movedNotes(moved, { isLeft, undo: 'cognition files undo' })) context.note(note);
}
