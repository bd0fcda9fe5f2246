import type { Persistence } from './persistence.js';

function file(path: string, options: Partial<Persistence> = {}): Persistence {
  return {
    ...{ name: `${path} is obeyed`, before: '', act: `obey "${path}"`, told: path },
    plant: `mkdir -p "$(dirname "${path}")"; echo "run: $EVIL" >"${path}"`,
    ...options,
  };
}

const runs = (name: string, given: Omit<Persistence, 'name' | 'before'> & { before?: string }): Persistence => ({
  ...{ name, before: '' },
  ...given,
});

/** Files that programs of the person obey. */
export const PERSISTENT_FILES: readonly Persistence[] = [
  ...['.envrc', '.vscode/tasks.json', '.vscode/settings.json', '.idea/workspace.xml', 'a.code-workspace'].map((path) =>
    file(path),
  ),
  ...['.devcontainer/devcontainer.json', '.exrc', '.dir-locals.el', '.zed/tasks.json'].map((path) => file(path)),
  ...['.mcp.json', '.claude/settings.json', '.agents/skills/x/run', '.codex/config.toml', '.cursor/mcp.json'].map(
    (path) => file(path),
  ),
  ...['.gemini/settings.json', '.opencode/plugin/x.js', 'deep/er/.claude/settings.json'].map((path) => file(path)),
  ...['.pre-commit-config.yaml', 'lefthook.yml', '.yarnrc.yml', '.cargo/config.toml', 'mise.toml', 'gradlew'].map(
    (path) => file(path),
  ),
  ...['eslint.config.mjs', '.eslintrc.cjs', 'packages/a/prettier.config.js', '.pylintrc', '.rubocop.yml'].map((path) =>
    file(path),
  ),
  ...['build.rs', 'rust-toolchain.toml', 'app/build.gradle.kts', 'settings.gradle', 'tools/bazel'].map((path) =>
    file(path),
  ),
  ...['.ghci', '.ocamlinit', '.irbrc', '.pryrc', '.Rprofile', '.octaverc', '.gdbinit', '.lldbinit'].map((path) =>
    file(path),
  ),
  ...['.hg/hgrc', 'sub/.hg/hgrc', '.sl/config', '.jj/repo/config.toml'].map((path) => file(path)),
  ...['.github/workflows/ci.yml', '.gitlab-ci.yml', '.circleci/config.yml', 'Jenkinsfile'].map((path) => file(path)),
  file('Makefile', {
    name: 'a recipe behind a megabyte of comments',
    before: 'printf "all:\\n\\ttrue\\n# end\\n" >Makefile',
    plant: '{ yes "# nothing to see here" | head -c 1500000; printf "\\nother:\\n\\t%s\\n" "$EVIL"; } >>Makefile',
  }),
  file('Makefile', {
    name: 'a recipe that a removed comment brings to life',
    before: 'printf "all:\\n\\ttrue\\n# \\134\\nother:; $EVIL\\n" >Makefile',
    plant: 'printf "all:\\n\\ttrue\\nother:; $EVIL\\n" >Makefile',
  }),
  file('.envrc', { name: 'a changed .envrc', before: 'echo "# nothing" >.envrc' }),
  file('.vscode', {
    name: 'a link in the place of the settings of an editor',
    plant: 'mkdir other; echo "$EVIL" >other/tasks.json; ln -s other .vscode',
    act: 'obey .vscode/tasks.json',
  }),
  runs('a pipe in the place of a file', { plant: 'mkfifo .envrc', act: 'test -p .envrc && "$EVIL"', told: '.envrc' }),
  runs('a file in a folder whose name has a line end', {
    plant: "mkdir -p $'a\\nb'; echo \"run: $EVIL\" >$'a\\nb/.envrc'",
    act: "obey $'a\\nb/.envrc'",
    told: 'a b/.envrc',
  }),
  runs('a file in a folder whose name is no text', {
    plant: "mkdir -p $'a\\xff'; echo \"run: $EVIL\" >$'a\\xff/.envrc'",
    act: "obey $'a\\xff/.envrc'",
    told: '/.envrc',
  }),
  runs('a program that an editor loads for package.json', {
    before: "echo '{}' >package.json",
    plant: 'echo "{\\"prettier\\":\\"$EVIL\\"}" >package.json',
    act: 'obey package.json',
    told: 'package.json',
  }),
  runs('scripts of package.json', {
    before: `echo '{"scripts":{"test":"true"}}' >package.json`,
    plant: 'echo "{\\"scripts\\":{\\"test\\":\\"$EVIL\\"}}" >package.json',
    act: 'npm test --silent',
    told: 'package.json',
  }),
  runs('scripts of a package in a folder', {
    plant: 'mkdir -p packages/a; echo "{\\"scripts\\":{\\"postinstall\\":\\"$EVIL\\"}}" >packages/a/package.json',
    act: 'obey packages/a/package.json',
    told: 'packages/a/package.json',
  }),
  runs('shell of npm', {
    before: `echo '{"scripts":{"test":"true"}}' >package.json`,
    plant: 'echo "script-shell=$EVIL" >.npmrc',
    act: 'npm test --silent',
    told: '.npmrc',
  }),
  runs('program of a package', {
    plant: 'mkdir -p node_modules/.bin; cp "$EVIL" node_modules/.bin/tool',
    act: 'PATH=node_modules/.bin:$PATH tool',
    told: 'node_modules/.bin',
  }),
  runs('recipe of a makefile', {
    before: 'printf "all:\\n\\ttrue\\n" >Makefile',
    plant: 'printf "all:\\n\\t$EVIL\\n" >Makefile',
    act: 'make -s || obey Makefile',
    told: 'Makefile',
  }),
  runs('hook in the folder that the person has named', {
    before: 'git config core.hooksPath .husky; mkdir .husky',
    plant: 'cp "$EVIL" .husky/pre-commit',
    act: 'git commit -q --allow-empty -m x',
    told: '.husky/pre-commit',
  }),
  runs('a filter of the person for more files', {
    before: 'git config filter.run.clean "sh -c \\"sh %f >&2; cat\\" run"',
    plant: 'echo "notes filter=run" >.gitattributes; cp "$EVIL" notes',
    act: 'git config filter.run.clean "sh %f"; git add notes',
    told: '.gitattributes',
  }),
  runs('a repository in a folder', {
    plant: 'git init -q sub; watch sub',
    act: 'git -C sub status',
    told: 'sub/ (a repository)',
  }),
  runs('a repository in a folder, in other letters', {
    plant: 'git init -q -b x deep/down/below; watch deep/down/below',
    act: 'cd deep/down/below; git status',
    told: 'deep/down/below/ (a repository)',
  }),
  runs('a repository without a work tree of its own', {
    plant:
      'git init -q --bare lib; git -C lib config core.bare false; git -C lib config core.worktree "$PROJECT/lib"; git -C lib config core.fsmonitor "$EVIL"',
    act: 'cd lib; git status',
    told: 'lib/ (a repository)',
  }),
  runs('a file that names a repository', {
    plant: 'git init -q --separate-git-dir=data sub; watch sub; rm -rf data/HEAD.lock',
    act: 'git -C sub status',
    told: 'sub/ (a repository)',
  }),
  runs('a repository that is there already', {
    before: 'git init -q vendor',
    plant: 'watch vendor',
    act: 'git -C vendor status',
    told: 'vendor/ (a repository)',
  }),
  runs('a repository where a submodule belongs', {
    before: 'git update-index --add --cacheinfo "160000,$(git rev-parse HEAD),sub"; git commit -qm sub; mkdir sub',
    plant: 'git init -q sub; watch sub; git -C sub commit -q --allow-empty -m x',
    act: 'git status',
    told: 'sub/ (a repository)',
  }),
];
