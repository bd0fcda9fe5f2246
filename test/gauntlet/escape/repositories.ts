import { type Escape, tryTo } from './escape.js';

/** What git reads, runs or trusts in a repository. */
const IN_GIT = [
  ...['config', 'config.worktree', 'HEAD', 'index', 'packed-refs', 'description', 'commondir', 'COMMIT_EDITMSG'],
  ...['MERGE_MSG', 'ORIG_HEAD', 'FETCH_HEAD', 'shallow', 'config.lock', 'index.lock', 'gc.log'],
  ...['hooks/pre-commit', 'hooks/post-checkout', 'hooks/fsmonitor-watchman', 'hooks/pre-push', 'info/exclude'],
  ...['info/attributes', 'info/grafts', 'info/sparse-checkout', 'refs/heads/main', 'refs/replace/x', 'logs/HEAD'],
  ...[
    'objects/info/alternates',
    'objects/ab/cd',
    'rebase-merge/git-rebase-todo',
    'sequencer/todo',
    'modules/sub/config',
  ],
];

function writing(folder: string, name: string): string {
  return `mkdir -p "$(dirname ${folder}/${name})"; echo evil >>${folder}/${name} && grep -qs evil ${folder}/${name} && escaped`;
}

/** Attempts on repositories: the project's own, and those that lie in it. */
export const REPOSITORY_ESCAPES: Escape[] = [
  ...IN_GIT.map((name) => tryTo(`.git/${name}`, writing('.git', name))),
  ...['config', 'HEAD', 'index', 'hooks/pre-commit', 'info/attributes', 'objects/info/alternates'].map((name) =>
    tryTo(`.git/${name} of a repository in the project`, writing('vendor/sub/.git', name)),
  ),
  ...['config', 'HEAD', 'hooks/update', 'hooks/post-update'].map((name) =>
    tryTo(`${name} of a bare repository in the project`, writing('vendor/bare', name)),
  ),
  tryTo(
    '.git of a submodule, a file',
    'echo "gitdir: evil" >vendor/module/.git; grep -q evil vendor/module/.git && escaped',
  ),
  tryTo('.git of a submodule replaced', 'rm -f vendor/module/.git; mkdir vendor/module/.git && escaped'),
  tryTo(
    '.git of a repository in the project renamed',
    'mv vendor/sub/.git vendor/sub/g && mkdir vendor/sub/.git && escaped',
  ),
  tryTo('.git of a repository in the project removed', 'rm -rf vendor/sub/.git; [ -d vendor/sub/.git ] || escaped'),
  tryTo(
    'a repository in the project renamed, then written',
    'mv vendor/sub moved; echo evil >>moved/.git/config && escaped',
  ),
  tryTo('the folder of a repository renamed, then written', 'mv vendor v; echo evil >>v/sub/.git/config && escaped'),
  tryTo(
    'settings of a repository in the project by a second name',
    'ln vendor/sub/.git/config c && echo evil >>c && escaped',
  ),
  tryTo('a link in the place of a repository', 'mv vendor/sub/.git x; ln -s ../../notes vendor/sub/.git && escaped'),
  tryTo('COMMIT_EDITMSG as a link', 'ln -s "$HOME_DIR/.bashrc" .git/COMMIT_EDITMSG && escaped'),
  tryTo('hooks as a link', 'rmdir .git/hooks; rm -rf .git/hooks; ln -s ../deep .git/hooks && escaped'),
  tryTo('bits of a hook', 'chmod 777 .git/hooks && escaped'),
  tryTo('git config', 'git config core.pager evil && escaped'),
  tryTo(
    'git config of a repository in the project',
    'git config --file vendor/sub/.git/config core.pager evil && escaped',
  ),
  tryTo('git config --global', '[ -e "$OUT/secret" ] && HOME="$OUT" git config --global core.pager evil && escaped'),
  tryTo('git init elsewhere', '[ -e "$OUT/secret" ] && git init -q "$OUT/new" && escaped'),
  tryTo('git folder elsewhere', '[ -e "$OUT/secret" ] && git init -q --separate-git-dir "$OUT/apart" fresh && escaped'),
  tryTo(
    'git work tree elsewhere',
    '[ -e "$OUT/secret" ] && { git init -q r && git -C r -c user.name=a -c user.email=b commit -q --allow-empty -m x && git -C r worktree add -q "$OUT/tree"; } && escaped',
  ),
  tryTo(
    'a bundle written elsewhere',
    '[ -e "$OUT/secret" ] && git init -q r && git -C r -c user.name=a -c user.email=b commit -q --allow-empty -m x && git -C r bundle create "$OUT/bundle" HEAD && escaped',
  ),
  tryTo(
    'files of an index written elsewhere',
    '[ -e "$OUT/secret" ] && git init -q r && cd r && echo x >f && git add f && git checkout-index --prefix="$OUT/" f && escaped',
  ),
];
