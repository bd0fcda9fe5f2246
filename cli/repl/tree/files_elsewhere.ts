import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { HubError } from '../../../hub/base/error.js';
import { OWN_COPY } from '../../../hub/protocol/limits.js';
import { workFolder } from '../../position/project_folder.js';
import type { Repl } from '../repl.js';

/**
 * Refuses a message, once, where the files are not those of its branch: another terminal, or a move without files, has left them so.
 * Who says it again means them as they are.
 */
export function createFilesCheck(): (repl: Repl) => Promise<void> {
  let told = '';
  return async ({ client, context, conversation, front, follow }) => {
    const here = conversation();
    if (follow === 'no' || !front.attended || !here.isMade() || here.place.isOwn()) return;
    const { tree, position } = here.place;
    const project = workFolder(await client.call('loom.tree_get', { tree }), context.project);
    // As the tools name a project.
    const folder = createHash('sha256').update(realpathSync.native(project)).digest('hex');
    const { at, newest } = await client.call('loom.snapshot_find', { tree, node: position(), folder });
    if (at === null || newest === null || at.root === newest.root) return;
    // It does not work with these files.
    const { copies } = await client.call('loom.copy_list', { tree, node: position() });
    if (copies[0]?.label === OWN_COPY) return;
    const found = `${position()} ${newest.root}`;
    if (told === found) return;
    told = found;
    throw new HubError('conflict', 'not sent yet: the files are those of another branch', {
      hint: '/files here brings those of this one; say it again to go on with them as they are',
    });
  };
}
