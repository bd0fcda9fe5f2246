import { randomUUID } from 'node:crypto';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import type { GitFolders } from '../sandbox/linked_git.js';
import { kindOf } from '../sandbox/path_kind.js';
import { runGitJob } from './git_job.js';
import { gitLayoutOf } from './git_layout.js';
import { writeState } from './git_state.js';
import { type PersonGit, readPersonGit } from './person_git.js';
import type { PrivateProject } from './private_git.js';
import { type Receiving, receiveCommits } from './receive_commits.js';
import { keptName, takeOver } from './take_over.js';
import { readJournal, recover, type TakeOverRecord, writeJournal, writeToPerson } from './write_refs.js';

const BRANCHES = /^refs\/(heads|tags)\//;

/** Takes back what was taken over last. Its commits are kept beside the branches; the files stay as they are. */
export async function undoLast(project: PrivateProject): Promise<string> {
  const { paths } = project;
  const { folders, person } = await open(project);
  const last = readJournal(paths).taken.findLast(({ undone }) => !undone);
  if (last === undefined) throw new HubError('not_found', 'nothing that was taken over is left to be undone');
  const back = last.refs.filter(({ name }) => BRANCHES.test(name));
  const changed = back.find(({ name, to }) => (person.refs.get(name) ?? null) !== to);
  if (changed !== undefined) {
    throw new HubError('conflict', `${shortName(changed.name)} has moved since: nothing was undone`, {
      hint: `look at it with git log, and set it yourself: it was at ${changed.from ?? 'no commit'}`,
    });
  }
  const head = last.head !== null && person.head === last.head.to ? { from: last.head.to, to: last.head.from } : null;
  const branch = head?.to ?? person.head;
  const moved = back.find(({ name }) => name === branch);
  const next = moved === undefined ? (person.refs.get(branch ?? '') ?? person.commit) : moved.from;
  const text = `undone: ${last.text}`;
  await change(project, folders, {
    person,
    taken: {
      ...{ id: randomUUID(), at_ms: Date.now(), text, undone: true, head },
      refs: back.flatMap(({ name, from, to }) => [
        { name, from: to, to: from },
        { name: keptName(name), from: person.kept.get(keptName(name)) ?? null, to },
      ]),
      index: next === person.commit ? null : { from: person.commit ?? '', to: next ?? '' },
    },
  });
  const journal = readJournal(paths);
  const marked = journal.taken.map((one) => (one.id === last.id ? { ...one, undone: true } : one));
  writeJournal(paths, { ...journal, taken: marked });
  return text;
}

/** Takes over what was kept of a branch, also over the person's own commits: `undoLast` takes that back. */
export async function takeKept(project: PrivateProject, branch: string | null): Promise<string> {
  if (branch === null) return takeRepository(project);
  const { folders, person } = await open(project);
  const name = `refs/heads/${branch}`;
  const to = person.kept.get(keptName(name));
  if (to === undefined) {
    const names = [...person.kept.keys()].map((one) => shortName(one));
    throw new HubError('not_found', `nothing of the model is kept for ${JSON.stringify(branch)}`, {
      hint: names.length === 0 ? 'nothing is kept at all' : `kept are: ${names.join(', ')}`,
    });
  }
  if (person.isBusy) {
    throw new HubError('conflict', 'a merge, rebase or the like is under way in your repository', {
      hint: 'end it first',
    });
  }
  if (person.elsewhere.includes(name)) {
    throw new HubError('conflict', `${branch} is checked out in another work tree`, { hint: 'switch that one first' });
  }
  const text = `the model's ${branch}`;
  const index = person.head === name && person.commit !== to ? { from: person.commit ?? '', to } : null;
  const refs = [
    { name, from: person.refs.get(name) ?? null, to },
    { name: keptName(name), from: to, to: null },
  ];
  const taken = { ...{ id: randomUUID(), at_ms: Date.now(), text, undone: false, head: null }, refs, index };
  await change(project, folders, { person, taken });
  const state = project.state();
  writeState(project.paths, { ...state, refs: { ...state.refs, [name]: to } });
  return `taken: ${text}`;
}

async function open(project: PrivateProject): Promise<{ folders: GitFolders; person: PersonGit }> {
  const layout = gitLayoutOf(project.root);
  if (layout.kind !== 'repository') {
    throw new HubError('not_found', `${project.root} has no repository that a model's git works beside`, {
      hint: layout.kind === 'none' ? ['make one, or take that of the model: ', cliCommand('git take')] : layout.reason,
    });
  }
  await recover(project.jobs, { paths: project.paths, folders: layout });
  return { folders: layout, person: await readPersonGit(project.jobs, layout) };
}

async function change(
  { jobs, paths }: PrivateProject,
  folders: GitFolders,
  { person, taken }: { person: PersonGit; taken: TakeOverRecord },
): Promise<void> {
  const index: Receiving['index'] = taken.index;
  const { indexFits } = await receiveCommits(jobs, { paths, folders, moved: [], person, index });
  if (index !== null && !indexFits) {
    throw new HubError('conflict', 'what you have staged stands against it: nothing was changed', {
      hint: 'commit it, or unstage it with git restore --staged',
    });
  }
  await writeToPerson(jobs, { paths, folders }, taken);
}

/** Makes the repository that a model has made for itself, with its commits in it. */
async function takeRepository(project: PrivateProject): Promise<string> {
  const { root, paths, jobs } = project;
  const git = join(root, '.git');
  if (gitLayoutOf(root).kind !== 'none' || kindOf(git) !== 'absent') {
    throw new HubError('invalid_params', 'name the branch to take', {
      hint: ['see what is kept: ', cliCommand('git status')],
    });
  }
  if (kindOf(join(paths.model, 'HEAD')) !== 'file') throw new HubError('not_found', 'the model has made no repository');
  const made = join(paths.folder, 'made');
  rmSync(made, { recursive: true, force: true });
  mkdirSync(made, { mode: 0o700 });
  await runGitJob(jobs, {
    script: 'unset GIT_WORK_TREE; git init -q --template= -b main /tmp/new; cp -R /tmp/new/.git/. made',
    folders: [{ name: 'made', source: made, writable: true }],
    input: '',
  });
  cpSync(made, git, { recursive: true, errorOnExist: true, force: false });
  const told = await takeOver(project);
  return told.length === 0 ? 'made a repository; the model has committed nothing yet' : told.join('; ');
}

function shortName(name: string): string {
  return name.replace(/^refs\/(heads|tags|cognition)\//, '');
}
