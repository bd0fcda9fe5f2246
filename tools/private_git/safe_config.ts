const VALUES_MAX = 10_000;

/**
 * What of a repository's settings a private folder gets: what says how files are read and compared, who commits, and where branches
 * come from. Filters run inside the sandbox only, and without them a commit would hold what they keep out. No password, no hook.
 */
const COPIED = [
  /^core\.(filemode|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|repositoryformatversion)$/,
  /^core\.(sparsecheckout|sparsecheckoutcone|quotepath|abbrev|whitespace|protectntfs|protecthfs|checkstat|trustctime)$/,
  /^extensions\.(objectformat|partialclone)$/,
  /^(user|author|committer)\.(name|email)$/,
  /^remote\..*\.(url|pushurl|fetch|tagopt|promisor|partialclonefilter)$/s,
  /^branch\..*\.(remote|pushremote|merge|rebase|description)$/s,
  /^(filter|diff|merge)\./,
  /^(pull|push|rebase|rerere|init|i18n|status|log)\.[a-z]+$/,
  /^submodule\..*\.(active|url)$/s,
];

/** Signing needs a key, and watching a daemon: neither is there for a model. */
const OWN =
  '[core]\n\tbare = false\n\tfsmonitor = false\n[commit]\n\tgpgsign = false\n[tag]\n\tgpgsign = false\n[gc]\n\tauto = 0\n';

/** The settings of a private folder, of what `git config --list -z` has told of the person's. */
export function safeConfig(listed: string): string {
  const lines = listed
    .split('\0')
    .slice(0, VALUES_MAX)
    .flatMap((entry) => {
      const [key = '', ...rest] = entry.split('\n');
      const value = rest.length === 0 ? null : withoutPassword(rest.join('\n'), key);
      return COPIED.some((pattern) => pattern.test(key)) ? [settingOf(key, value)] : [];
    });
  return lines.join('') + OWN;
}

function settingOf(key: string, value: string | null): string {
  const [section = '', ...rest] = key.split('.');
  const name = rest.at(-1) ?? '';
  const subsection = rest.slice(0, -1).join('.');
  const heading = rest.length > 1 ? `${section} "${subsection.replace(/[\\"]/g, '\\$&')}"` : section;
  return `[${heading}]\n\t${name}${value === null ? '' : ` = ${quoted(value)}`}\n`;
}

function quoted(value: string): string {
  return `"${value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t')}"`;
}

/** An address may hold a name and a password, or a token in the place of either. */
function withoutPassword(value: string, key: string): string {
  return /url$/.test(key) ? value.replace(/^([a-z+]+:\/\/)[^/@]*@/i, '$1') : value;
}
