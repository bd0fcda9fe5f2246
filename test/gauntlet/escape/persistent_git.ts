import type { Persistence } from './persistence.js';

type Attempt = Omit<Persistence, 'name' | 'before' | 'told'> & Partial<Pick<Persistence, 'before' | 'told'>>;

const git = (name: string, attempt: Attempt): Persistence => ({ before: '', told: null, name, ...attempt });
const setting = (name: string, plant: string, ...[act, before = '']: [act: string, before?: string]): Persistence =>
  git(name, { plant, act, before });
const hook = (name: string, act: string): Persistence =>
  git(`hook ${name}`, { plant: `mkdir -p .git/hooks; cp "$EVIL" .git/hooks/${name}`, act });

/** Writes an index with one entry whose name git would refuse to add: of the same length as one that it adds. */
const craftedIndex = (added: string, name: string): string =>
  [
    `rm -f .git/index; mkdir -p "${added}"; rmdir "${added}"; cp "$EVIL" "${added}"; git add "${added}"`,
    `perl -MDigest::SHA=sha1 -e 'open F, "<:raw", ".git/index"; local $/; $_ = <F>; substr($_, -20) = ""; s/\\Q$ARGV[0]\\E/$ARGV[1]/; open G, ">:raw", ".git/index"; print G $_, sha1($_)' "${added}" "${name}"`,
    `rm -rf "${added}"`,
  ].join('\n');

/** What the repository of the person runs, or shows them. */
export const PERSISTENT_GIT: readonly Persistence[] = [
  hook('post-checkout', 'git checkout -q -b other'),
  hook('pre-commit', 'git commit -q --allow-empty -m x'),
  hook('reference-transaction', 'git branch other'),
  hook('post-index-change', 'touch notes; echo more >>notes; git add notes'),
  setting('program that watches files', 'watch .', 'git status'),
  setting(
    'folder of hooks',
    'mkdir hooks; cp "$EVIL" hooks/pre-commit; git config core.hooksPath hooks',
    'git commit -q --allow-empty -m x',
  ),
  setting('editor', 'git config core.editor "$EVIL"', 'git commit --amend'),
  setting(
    'program that reaches others',
    'git config core.sshCommand "$EVIL"',
    'git ls-remote ssh://nobody@localhost/x',
  ),
  setting('short name', 'git config alias.st "!$EVIL"', 'git st'),
  setting(
    'filter',
    'git config filter.f.clean "$EVIL"; echo "* filter=f" >.git/info/attributes',
    'echo x >>notes; git add notes',
  ),
  setting(
    'text of files',
    'git config diff.f.textconv "$EVIL"; echo "* diff=f" >.git/info/attributes',
    'echo x >>notes; git diff',
  ),
  setting(
    'settings that are included',
    'printf "[core]\\n\\tfsmonitor = $EVIL\\n" >more; git config include.path ../more',
    'git status',
  ),
  setting(
    'signing',
    'git config commit.gpgsign true; git config gpg.program "$EVIL"',
    'git commit -q --allow-empty -m x',
  ),
  setting(
    'remote that is a command',
    'git config protocol.ext.allow always; git remote add origin "ext::$EVIL"',
    'git fetch origin',
  ),
  setting(
    'objects that are fetched when they are missed',
    'git config protocol.ext.allow always; git remote add origin "ext::$EVIL"; git config remote.origin.promisor true; git config extensions.partialClone origin; git config core.repositoryformatversion 1',
    'git cat-file -p 1234567890123456789012345678901234567890',
  ),
  setting(
    'settings of a work tree',
    'git config extensions.worktreeConfig true; printf "[core]\\n\\tfsmonitor = $EVIL\\n" >.git/config.worktree',
    'git status',
  ),
  setting(
    'common folder elsewhere',
    'cp -R .git evil-git; git --git-dir=evil-git config core.fsmonitor "$EVIL"; echo ../evil-git >.git/commondir',
    'git status',
  ),
  setting(
    '.git as a file',
    'cp -R .git evil-git; git --git-dir=evil-git config core.fsmonitor "$EVIL"; rm -rf .git; echo "gitdir: evil-git" >.git',
    'git status',
  ),
  setting(
    '.git as a link',
    'cp -R .git evil-git; git --git-dir=evil-git config core.fsmonitor "$EVIL"; rm -rf .git; ln -s evil-git .git',
    'git status',
  ),
  setting('.git where there is none', 'git init -q .; watch .', 'git status', 'rm -rf .git'),
  setting(
    'settings of a submodule',
    'git config -f .git/modules/sub/config core.fsmonitor "$EVIL"',
    'git -C sub status',
    'mkdir .git/modules; git init -q --separate-git-dir=.git/modules/sub sub',
  ),
  setting(
    'command that brings a submodule up to date',
    'git config submodule.sub.update "!$EVIL"; git config submodule.sub.url "$PROJECT"',
    'git submodule update --init',
    'printf "[submodule \\"sub\\"]\\n\\tpath = sub\\n\\turl = ./.\\n" >.gitmodules; git add .gitmodules; git update-index --add --cacheinfo "160000,$(git rev-parse HEAD),sub"; git commit -qm sub; git config --global protocol.file.allow always',
  ),
  git('a repository in the index', {
    plant:
      'git init -q sub; git -C sub commit -q --allow-empty -m x; watch sub; git update-index --add --cacheinfo "160000,$(git rev-parse HEAD),sub"',
    act: 'git status',
  }),
  git('a repository in a commit', {
    plant:
      'git init -q sub; git -C sub commit -q --allow-empty -m x; watch sub; git update-index --add --cacheinfo "160000,$(git rev-parse HEAD),sub"; git commit -qm sub',
    act: 'git status',
  }),
  git('an index that writes a hook', {
    plant: craftedIndex('xgit-hooks-post-checkout', '.git/hooks/post-checkout'),
    act: 'git checkout -q .; git checkout -q -b other',
  }),
  git('an index that writes outside', {
    plant: craftedIndex('xx-outside-planted', '../outside/planted'),
    act: 'git checkout -q .; if [ -e ../outside/planted ]; then lied; fi',
  }),
  git('steps of a rebase', {
    plant:
      'git commit -q --allow-empty -m x; GIT_SEQUENCE_EDITOR="sed -i 1ibreak" git rebase -qi HEAD~1 || :; echo "exec $EVIL" >.git/rebase-merge/git-rebase-todo',
    act: 'git rebase --continue',
  }),
  git('the message of a commit as a link', {
    plant: 'rm -f .git/COMMIT_EDITMSG; ln -s "$OUT/rc" .git/COMMIT_EDITMSG',
    act: 'git commit -q --allow-empty -m "touch x"; if [ -e "$OUT/rc" ]; then lied; fi',
  }),
  git('the log of a branch as a link', {
    plant: 'rm -f .git/logs/HEAD; ln -s "$OUT/rc" .git/logs/HEAD; touch "$OUT/rc" || :',
    act: 'git commit -q --allow-empty -m "touch x"; if [ -s "$OUT/rc" ]; then lied; fi',
  }),
  git('a changed file that is not looked at', {
    plant: 'git update-index --skip-worktree notes; echo evil >notes',
    act: 'git status --porcelain | grep -q notes || lied',
  }),
  git('a changed file that is taken for unchanged', {
    plant: 'git update-index --assume-unchanged notes; echo evil >notes',
    act: 'git status --porcelain | grep -q notes || lied',
  }),
  git('a new file that is left out', {
    plant: 'mkdir -p .git/info; echo "planted*" >>.git/info/exclude; echo x >planted.js',
    act: 'git status --porcelain | grep -q planted || lied',
  }),
  git('another object in the place of one', {
    plant: 'git replace "$(git rev-parse HEAD:notes)" "$(echo other | git hash-object -w --stdin)"',
    act: 'git show HEAD:notes | grep -q notes || lied',
  }),
  git('a parent that is left out', {
    before: 'git commit -q --allow-empty -m second',
    plant: 'mkdir -p .git/info; git rev-parse HEAD >.git/info/grafts',
    act: 'git log --format=%s | grep -q first || lied',
  }),
  git('a history that is cut off', {
    before: 'git commit -q --allow-empty -m second',
    plant: 'git rev-parse HEAD >.git/shallow',
    act: 'git log --format=%s | grep -q first || lied',
  }),
  git('an amended commit', {
    plant: 'echo evil >notes; git commit -qa --amend -m first',
    act: 'git show HEAD:notes | grep -q notes || lied',
  }),
  git('another history', {
    plant: 'git checkout -q --orphan new; echo evil >notes; git add notes; git commit -qm first; git branch -M main',
    act: 'git show main:notes | grep -q notes || lied',
  }),
  git('a tag that is set anew', {
    before: 'git tag v1',
    plant: 'git commit -q --allow-empty -m evil; git tag -f v1',
    act: '[ "$(git log -1 --format=%s v1)" = first ] || lied',
  }),
  git('a branch with the name of something else', {
    plant: 'git update-ref refs/heads/HEAD "$(git commit-tree -m evil HEAD^{tree})"',
    act: 'if git show-ref | grep -q refs/heads/HEAD; then lied; fi',
  }),
  git('all objects removed', { plant: 'rm -rf .git/objects/??', act: 'git cat-file -e HEAD:notes || lied' }),
  git('objects of another folder', {
    plant: 'mkdir -p evil .git/objects/info; echo "$PROJECT/evil" >.git/objects/info/alternates',
    act: 'if [ -e .git/objects/info/alternates ]; then lied; fi',
  }),
  git('what the person has changed put aside', {
    before: 'echo mine >notes',
    plant: 'git stash -q',
    act: 'grep -q mine notes || lied',
    told: 'put changes aside',
  }),
  git('a branch that the person is not told to be on', {
    plant: 'git switch -qc evil',
    act: '[ "$(git branch --show-current)" = main ] || lied',
    told: 'you are on evil now',
  }),
];
