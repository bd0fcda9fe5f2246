import { valueOrNull } from '../sandbox/attempt.js';

/** Files of a project that programs of the person run or obey by themselves; each pattern is of a path below the project. */
const RUNS_AS_YOU: readonly { what: string; paths: readonly string[] }[] = [
  {
    what: 'as you enter the folder',
    paths: [
      '\\.envrc',
      '\\.env',
      '\\.autoenv(\\.zsh)?',
      '\\.?mise(\\.local)?\\.toml',
      '\\.mise/.+',
      '\\.tool-versions',
      '\\.nvmrc',
    ],
  },
  {
    what: 'in your editor',
    paths: [
      ...[
        '\\.vscode(/.+)?',
        '[^/]+\\.code-workspace',
        '\\.idea(/.+)?',
        '\\.zed(/.+)?',
        '\\.fleet(/.+)?',
        '\\.vs(/.+)?',
      ],
      ...[
        '\\.devcontainer(/.+)?',
        '\\.devcontainer\\.json',
        '\\.exrc',
        '\\.n?vimrc',
        '\\.nvim\\.lua',
        '\\.dir-locals(-2)?\\.el',
      ],
      ...['[^/]+\\.sublime-project', '\\.editorconfig-checker\\.json', '\\.helix(/.+)?'],
      // What its extensions run as a file is opened.
      ...[
        '\\.?(eslint|prettier|stylelint)(rc|\\.config)\\.[cm]?[jt]s',
        '\\.?pylintrc',
        '\\.rubocop\\.yml',
        'build\\.rs',
        'rust-toolchain(\\.toml)?',
        '(build|settings|init)\\.gradle(\\.kts)?',
      ],
    ],
  },
  {
    what: 'as you start a program in the folder',
    paths: [
      '\\.ghci',
      '\\.ocamlinit',
      '\\.pryrc',
      '\\.irbrc',
      '\\.Rprofile',
      '\\.octaverc',
      '\\.gdbinit',
      '\\.lldbinit',
      'tools/bazel',
    ],
  },
  {
    what: 'in your agents',
    paths: [
      ...['\\.mcp\\.json', '\\.claude(/.+)?', '\\.agents(/.+)?', '\\.codex(/.+)?', '\\.cursor(/.+)?', '\\.cursorrules'],
      ...[
        '\\.gemini(/.+)?',
        '\\.opencode(/.+)?',
        'opencode\\.jsonc?',
        '\\.windsurf(/.+)?',
        '\\.continue(/.+)?',
        '\\.aider\\.conf\\.yml',
      ],
      ...['\\.pi(/.+)?', '\\.amp(/.+)?', '\\.roo(/.+)?', '\\.kiro(/.+)?'],
    ],
  },
  {
    what: 'as you install or build',
    paths: [
      ...[
        '\\.npmrc',
        '\\.yarnrc(\\.yml)?',
        '\\.yarn/(releases|plugins)/.+',
        '\\.pnp\\.c?js',
        '\\.pnpmfile\\.cjs',
        'bunfig\\.toml',
      ],
      ...[
        '\\.cargo/config(\\.toml)?',
        '\\.bundle/config',
        '\\.bazelrc',
        '\\.mvn/.+',
        'gradlew',
        'mvnw',
        'gradle/wrapper/.+',
      ],
      ...[
        'package\\.json',
        'GNUmakefile',
        '[Mm]akefile',
        '\\.?[Jj]ustfile',
        'Taskfile\\.ya?ml',
        'Rakefile',
        'binding\\.gyp',
      ],
      'node_modules/\\.bin(/.+)?',
    ],
  },
  {
    what: 'as you use git',
    paths: [
      ...[
        '\\.pre-commit-config\\.yaml',
        '\\.husky(/.+)?',
        '\\.?lefthook(-local)?\\.(ya?ml|toml|json)',
        '\\.githooks(/.+)?',
      ],
      ...['\\.gitattributes', '\\.gitmodules', '\\.git', 'HEAD'],
    ],
  },
  {
    what: 'as you use other repositories',
    paths: ['\\.hg/hgrc(-not-shared)?', '\\.hg/sharedpath', '\\.sl/config', '\\.jj/repo(/config\\.toml)?'],
  },
  {
    what: 'where you push it',
    paths: [
      ...['\\.github/(workflows|actions)/.+', '\\.gitea/workflows/.+', '\\.forgejo/workflows/.+'],
      ...['\\.gitlab-ci\\.ya?ml', '\\.circleci/.+', '\\.buildkite/.+', '\\.travis\\.yml', '\\.drone\\.ya?ml'],
      ...['Jenkinsfile', 'azure-pipelines\\.ya?ml', '\\.woodpecker(/.+|\\.ya?ml)'],
    ],
  },
];

/** All patterns as one that `find` takes. */
export const RUNS_AS_YOU_PATTERN = `project/(.*/)?(${RUNS_AS_YOU.flatMap(({ paths }) => paths).join('|')})`;

/** What is known of a file that runs: differs when it would run something else. */
export type RunningFiles = Readonly<Record<string, string>>;

const NAMES_MAX = 4;
const NAME_LENGTH_MAX = 100;
/** Stands among the paths when not all of the project was searched. */
export const NOT_SEARCHED = '';

/** One line that names the files that will run something else than before; null when there are none. */
export function changedWords(before: RunningFiles, now: RunningFiles): string | null {
  const changed = Object.keys(now).filter((path) => before[path] !== now[path]);
  if (changed.length === 0) return null;
  const groups = RUNS_AS_YOU.flatMap(({ what, paths }) => {
    const pattern = new RegExp(`^(.*/)?(${paths.join('|')})$`, 'is');
    const names = [...new Set(changed.filter((path) => pattern.test(path)).map(shownName))].sort();
    const more = names.length > NAMES_MAX ? ` and ${names.length - NAMES_MAX} more` : '';
    return names.length === 0 ? [] : [`${what}: ${names.slice(0, NAMES_MAX).join(', ')}${more}`];
  });
  const rest = changed.includes(NOT_SEARCHED) ? ['and not all of the project could be searched'] : [];
  return `the model made or changed what runs as you: ${[...groups, ...rest].join('; ')}`;
}

/** A repository by its folder, the programs of packages as one. */
function shownName(path: string): string {
  const name = path
    .replace(/^((?:.*\/)?node_modules\/\.bin)\/.*$/s, '$1')
    .replace(/(^|\/)(\.git|HEAD)$/i, '$1 (a repository)');
  const plain = name.replace(/^ /, './ ').replace(/[\p{C}\p{Z}]+/gu, ' ');
  return plain.length <= NAME_LENGTH_MAX ? plain : `…${plain.slice(1 - NAME_LENGTH_MAX)}`;
}

/** What package managers run of a manifest. */
const RUN_PARTS = [
  ...['scripts', 'bin', 'gypfile', 'packageManager', 'husky', 'lint-staged', 'simple-git-hooks', 'pre-commit', 'pnpm'],
  ...['eslintConfig', 'prettier', 'stylelint', 'babel'],
];

/** What of a manifest or a makefile is run, nothing perhaps: the rest may change unnoticed. */
export function whatRuns(path: string, text: string): string {
  if (!/package\.json$/i.test(path)) return makefileThatRuns(text);
  const parsed = valueOrNull((): unknown => JSON.parse(text));
  // Whatever reads it may read it otherwise.
  if (parsed === null) return text;
  const of = (key: string): unknown => Reflect.get(Object(parsed), key);
  const run = RUN_PARTS.filter((key) => of(key) !== undefined);
  return run.length === 0 ? '' : JSON.stringify(run.map((key) => [key, of(key)]));
}

/** Without lines that are blank or a comment; one that a backslash continues decides about the next line. */
function makefileThatRuns(text: string): string {
  return text.includes('RECIPEPREFIX') ? text : text.replace(/^[^\S\n]*(#(.*[^\\\n])?)?$\n?/gm, '');
}
