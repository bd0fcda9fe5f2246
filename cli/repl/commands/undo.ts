import { HubError } from '../../../hub/base/error.js';
import { workFolder } from '../../position/project_folder.js';
import { restoredText } from '../../render/reports/file_changes.js';
import type { ReplCommand } from '../repl.js';
import { goTo } from '../tree/go_to.js';

export const undoCommand: ReplCommand = {
  name: 'undo',
  usage: '',
  summary: 'take back the last move to another node, with its files; again, do it anew',
  completes: null,
  async run(_, repl) {
    const { client, context, front, lastMove: last } = repl;
    const here = repl.conversation();
    const { tree, position } = here.place;
    if (last === null || last.tree !== tree || last.to !== position()) {
      throw new HubError('not_found', 'you have gone nowhere since you last said something', {
        hint: 'to go to another node: /switch <node>; to take back the last restore of files: /files undo',
      });
    }
    const project = workFolder(await client.call('loom.tree_get', { tree }), context.project);
    const undone = last.hasFiles ? await client.call('files.undo', { project, tree, node: last.from }) : null;
    repl.lastMove = { ...last, from: last.to, to: last.from };
    await goTo(here, last.from);
    if (undone !== null) await front.show({ kind: 'note', text: `(${restoredText(undone, 'Brought along').trim()})` });
  },
};
