import { HubError } from '../../hub/base/error.js';
import { gitFoldersOf } from '../sandbox/linked_git.js';
import { kindOf } from '../sandbox/path_kind.js';
import { repositoryTop } from '../walk/repository_top.js';

const UNDER_WAY = {
  'rebase-merge': 'a rebase',
  'rebase-apply': 'a rebase',
  MERGE_HEAD: 'a merge',
  CHERRY_PICK_HEAD: 'a cherry-pick',
  REVERT_HEAD: 'a revert',
  BISECT_LOG: 'a bisect',
};

/** What git is in the middle of needs its files as they are. */
export function refuseUnderWay(project: string): void {
  const git = gitFoldersOf(repositoryTop(project));
  if (git === null) return;
  const found = Object.entries(UNDER_WAY).find(([name]) => kindOf(`${git.own}/${name}`) !== 'absent');
  if (found === undefined) return;
  throw new HubError('conflict', `git is in the middle of ${found[1]} in ${project}`, {
    hint: 'end that first, or give it up',
  });
}
