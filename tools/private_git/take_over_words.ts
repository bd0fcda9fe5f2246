/** Why commits of a model were not taken over. */
export type KeptReason =
  | 'broken'
  | 'submodule'
  | 'stash'
  | 'detached'
  | 'name'
  | 'checked out'
  | 'busy'
  | 'rewritten'
  | 'staged';

export interface TakeOverReport {
  taken: { name: string; isNew: boolean; commits: number }[];
  kept: { name: string; reason: KeptReason }[];
  /** The branch that HEAD names now. */
  head: string | null;
  /** The branch that the model is on, where the person's HEAD did not follow. */
  headStays: string | null;
}

const NAMES_MAX = 5;

/** What was taken over and what was not, one line each. */
export function wordsOf(report: TakeOverReport | null, deleted: readonly string[]): string[] {
  const { taken = [], kept = [], head = null, headStays = null } = report ?? {};
  const hasCommits = (one: TakeOverReport['taken'][number]): boolean =>
    one.name.startsWith('refs/heads/') && (one.commits > 0 || !one.isNew);
  const commits = taken.filter(hasCommits);
  const made = taken.filter((one) => !hasCommits(one));
  return [
    ...(commits.length === 0 ? [] : [few(commits.map(takenWords)).join(', ')]),
    ...(made.length === 0 ? [] : [`the model made ${few(made.map(({ name }) => shortName(name))).join(', ')}`]),
    ...(head === null ? [] : [`you are on ${shortName(head)} now, as the model is`]),
    ...few(kept.map(keptWords)),
    ...(headStays === null ? [] : [`the model is on ${shortName(headStays)}, you are not`]),
    ...(deleted.length === 0 ? [] : [`the model deleted ${few(deleted.map(shortName)).join(', ')}: yours stays`]),
  ];
}

function takenWords({ name, isNew, commits }: TakeOverReport['taken'][number]): string {
  const count = commits === 1 ? '1 commit' : `${commits} commits`;
  return `${count} from the model on ${isNew ? 'the new ' : ''}${shortName(name)}`;
}

function keptWords({ name, reason }: TakeOverReport['kept'][number]): string {
  const short = shortName(name);
  const take = `cognition git take ${short}`;
  switch (reason) {
    case 'broken':
      return `commits of the model on ${short} were not taken over: objects of theirs are missing or wrong`;
    case 'submodule':
      return `commits of the model on ${short} were not taken over: they add a submodule, in which your git would run what it holds`;
    case 'name':
      return 'a branch of the model was not taken over: its name has signs that mislead';
    case 'stash':
      return 'the model has put changes aside: git stash apply refs/cognition/stash';
    case 'detached':
      return 'the model works on no branch: its commits are kept as refs/cognition/HEAD';
    case 'checked out':
      return `${short} is checked out in another work tree: the model's is kept, to be taken with: ${take}`;
    case 'busy':
      return `you are in the middle of a merge or the like: the model's ${short} is kept, to be taken with: ${take}`;
    case 'rewritten':
      return `the model rewrote ${short}: its own is kept, to be taken with: ${take}`;
    case 'staged':
      return `what you have staged stands against the model's ${short}, which is kept, to be taken with: ${take}`;
  }
}

function shortName(name: string): string {
  return name.replace(/^refs\/(heads|tags)\//, '');
}

function few(texts: readonly string[]): string[] {
  const shown = texts.slice(0, NAMES_MAX);
  return texts.length > NAMES_MAX ? [...shown, `${texts.length - NAMES_MAX} more`] : shown;
}
