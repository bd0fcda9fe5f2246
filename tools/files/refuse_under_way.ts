import { HubError } from '../../hub/base/error.js';
import { gitFoldersOf } from '../sandbox/linked_git.js';
import { kindOf } from '../sandbox/path_kind.js';
import { repositoryTop } from '../walk/repository_top.js';

const UNDER_WAY = ['rebase-merge', 'rebase-apply', 'MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'BISECT_LOG'];

/** What git is in the middle of needs its files as they are. */
export function refuseUnderWay(project: string): void {
  const git = gitFoldersOf(repositoryTop(project));
  const found = git === null ? undefined : UNDER_WAY.find((name) => kindOf(`${git.own}/${name}`) !== 'absent');
  if (found === undefined) return;
  throw new HubError('conflict', `git is in the middle of something in ${project}: there is ${found}`, {
    hint: 'end that first, or give it up',
  });
}
