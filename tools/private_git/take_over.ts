import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { HubError } from '../../hub/base/error.js';
import type { GitFolders } from '../sandbox/linked_git.js';
import { kindOf } from '../sandbox/path_kind.js';
import { fingerprintOf, gitLayoutOf } from './git_layout.js';
import { type GitState, writeState } from './git_state.js';
import { KEPT, type PersonGit } from './person_git.js';
import type { PrivateProject } from './private_git.js';
import { type Moved, type Received, type ReceivedAll, type Receiving, receiveCommits } from './receive_commits.js';
import { type BothSides, ownFolders, syncIn } from './sync_in.js';
import { type KeptReason, type TakeOverReport, wordsOf } from './take_over_words.js';
import { recover, type TakeOverRecord, writeToPerson } from './write_refs.js';

/** More branches at once are nobody's wish. */
const MOVED_MAX = 200;

/** Names that every program shows as they are, and that git takes for nothing else. */
const PLAIN_NAME = /^refs\/(heads|tags)\/(?!HEAD$|refs\/|[0-9a-f]{40}$)[\p{L}\p{N}_][\p{L}\p{N}._+@=/-]{0,199}$/u;

/**
 * Takes the new commits of a model into the person's repository: new branches and tags, and branches that only go forward, with HEAD
 * and the index where they follow. Everything else is kept beside them, and told once. Returns what to tell the person.
 */
export async function takeOver(project: PrivateProject): Promise<string[]> {
  const layout = gitLayoutOf(project.root);
  const state = project.state();
  if (kindOf(join(project.paths.model, 'HEAD')) !== 'file') return [];
  if (layout.kind === 'none') return tellOfOwn(project, state);
  if (layout.kind !== 'repository') return [];
  await recover(project.jobs, { paths: project.paths, folders: layout });
  if (state.model === fingerprintOf(ownFolders(project.paths))) return [];
  const sides = await syncIn(project.jobs, { paths: project.paths, folders: layout, state });
  const seen = fingerprintOf(ownFolders(project.paths));
  const plan = planOf(state, sides);
  if (plan.moved.length > MOVED_MAX) {
    writeState(project.paths, { ...state, model: seen });
    return [`the model made or moved ${plan.moved.length} branches and tags: none of them was taken over`];
  }
  const isPlanned = plan.moved.length > 0 || plan.head !== null;
  const report = !isPlanned
    ? null
    : await carryOut(project, layout, { state, sides, plan }).catch((error: unknown) => {
        // What cannot be read is not tried again before the model changes it.
        const isUnreadable = error instanceof HubError && error.kind === 'resolve_failed';
        if (isUnreadable) writeState(project.paths, { ...project.state(), model: seen });
        throw error;
      });
  const told = wordsOf(report, leftOf(state, sides));
  writeState(project.paths, { ...state, model: seen });
  return told;
}

/** Of a repository that a model made where the person has none. */
function tellOfOwn({ paths }: PrivateProject, state: GitState): string[] {
  if (state.told['.git'] !== undefined) return [];
  writeState(paths, { ...state, told: { ...state.told, '.git': 'made' } });
  return ['the model made a repository here, which you have not yet: cognition git take'];
}

interface Plan {
  moved: Moved[];
  /** The branch that HEAD is to name, when the model has switched to it. */
  head: { from: string; to: string } | null;
}

function planOf(state: GitState, { person, model }: BothSides): Plan {
  const moved = [...model.refs].flatMap(([name, to]): Moved[] => {
    const isOurs = /^refs\/(heads|tags)\//.test(name) && state.refs[name] !== to && person.refs.get(name) !== to;
    return isOurs && state.told[name] !== to ? [{ name, from: person.refs.get(name) ?? null, to }] : [];
  });
  const stash = model.stash === null || state.told['refs/stash'] === model.stash ? [] : [model.stash];
  const detached = model.head !== null && !model.head.startsWith('refs/') && model.head !== state.head;
  const lost = detached && state.told.HEAD !== model.head && model.head !== null ? [model.head] : [];
  const hasSwitched = PLAIN_NAME.test(model.head ?? '') && model.head !== state.head;
  const mayFollow = person.head === state.head && person.head?.startsWith('refs/') === true && !person.isBusy;
  const head = hasSwitched && mayFollow;
  return {
    moved: [
      ...moved,
      ...stash.map((to) => ({ name: 'refs/stash', from: null, to })),
      ...lost.map((to) => ({ name: 'HEAD', from: null, to })),
    ],
    head: head && model.head !== null && person.head !== null ? { from: person.head, to: model.head } : null,
  };
}

interface Work {
  state: GitState;
  sides: BothSides;
  plan: Plan;
}

async function carryOut(project: PrivateProject, folders: GitFolders, work: Work): Promise<TakeOverReport> {
  const { paths, jobs } = project;
  const { state, sides, plan } = work;
  const { person } = sides;
  const index = indexChange(plan, person);
  const received = await receiveCommits(jobs, { paths, folders, moved: plan.moved, person, index });
  const { taken, kept, head, isMoving } = verdictsOf(work, received, index);
  const report: TakeOverReport = {
    taken: taken.map(({ moved, found }) => ({ name: moved.name, isNew: moved.from === null, commits: found.commits })),
    kept: kept.map(({ moved, reason }) => ({ name: moved.name, reason })),
    head: head?.to ?? null,
    headStays: plan.head !== null && head === null ? plan.head.to : null,
  };
  const beside = kept.filter(({ reason }) => KEEPS_OBJECTS.includes(reason)).map(({ moved }) => keptRef(moved, person));
  const refs = [...taken.map(({ moved }) => moved), ...beside];
  const text = wordsOf(report, []).join('; ');
  if (refs.length > 0 || head !== null) {
    await writeToPerson(
      jobs,
      { paths, folders },
      { ...{ id: randomUUID(), at_ms: Date.now(), text, undone: false, refs, head }, index: isMoving ? index : null },
    );
  }
  rmSync(paths.scratch, { recursive: true, force: true });
  for (const { moved } of taken) state.refs[moved.name] = moved.to;
  for (const { moved } of kept) state.told[moved.name] = moved.to;
  if (head !== null) state.head = head.to;
  return report;
}

/** The branch that the person is on when all is taken over, and its commit then. */
function nextPlace({ moved, head }: Plan, person: PersonGit): { branch: string; commit: string | null } {
  const branch = head?.to ?? person.head ?? '';
  return { branch, commit: moved.find(({ name }) => name === branch)?.to ?? person.refs.get(branch) ?? null };
}

function indexChange(plan: Plan, person: PersonGit): Receiving['index'] {
  const { commit } = nextPlace(plan, person);
  return commit === null || commit === person.commit ? null : { from: person.commit ?? '', to: commit };
}

interface Verdict {
  moved: Moved;
  found: Received;
}

interface Verdicts {
  taken: Verdict[];
  kept: (Verdict & { reason: KeptReason })[];
  head: Plan['head'];
  /** Whether the person's index goes along. */
  isMoving: boolean;
}

function verdictsOf({ plan, sides }: Work, received: ReceivedAll, index: Receiving['index']): Verdicts {
  const { person } = sides;
  const { branch, commit } = nextPlace(plan, person);
  const fits = index === null || received.indexFits;
  const taken: Verdicts['taken'] = [];
  const kept: Verdicts['kept'] = [];
  for (const moved of plan.moved) {
    const found = received.refs.get(moved.name) ?? BROKEN;
    const reason = reasonAgainst(moved, found, sides) ?? (moved.name === branch && !fits ? 'staged' : null);
    if (reason === null) taken.push({ moved, found });
    else kept.push({ moved, found, reason });
  }
  const isThere = person.refs.get(branch) === commit || taken.some(({ moved }) => moved.name === branch);
  const follows = isThere && fits;
  return { taken, kept, head: follows ? plan.head : null, isMoving: follows && index !== null };
}

function keptRef({ name, to }: Moved, person: PersonGit): TakeOverRecord['refs'][number] {
  const kept = keptName(name);
  return { name: kept, from: person.kept.get(kept) ?? null, to };
}

const BROKEN: Received = { isBroken: true, isForward: false, commits: 0, addsSubmodule: false };
/** What a person may take later without another look at it. */
const KEEPS_OBJECTS: readonly KeptReason[] = ['rewritten', 'staged', 'checked out', 'busy', 'stash', 'detached'];

function reasonAgainst({ name, from }: Moved, found: Received, { person }: BothSides): KeptReason | null {
  if (!PLAIN_NAME.test(name) && name !== 'HEAD' && name !== 'refs/stash') return 'name';
  if (found.isBroken) return 'broken';
  if (found.addsSubmodule) return 'submodule';
  if (name === 'refs/stash') return 'stash';
  if (name === 'HEAD') return 'detached';
  if (person.elsewhere.includes(name)) return 'checked out';
  if (person.isBusy && name === person.head) return 'busy';
  return from === null || (found.isForward && name.startsWith('refs/heads/')) ? null : 'rewritten';
}

/** What the model has deleted, told once. */
function leftOf(state: GitState, { model, person }: BothSides): string[] {
  const names = Object.keys(state.refs).filter((name) => /^refs\/heads\//.test(name));
  const left = names.filter((name) => !model.refs.has(name) && person.refs.has(name) && state.told[name] !== 'deleted');
  for (const name of left) state.told[name] = 'deleted';
  return left;
}

/** Where commits are kept that could not be taken over. */
export function keptName(name: string): string {
  return `${KEPT}${name.replace(/^refs\/(heads\/)?/, '')}`;
}
