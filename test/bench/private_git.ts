import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWatches } from '../../tools/private_git/watch_files.js';
import { type ModelGit, openModelGit } from '../tools/private_git/open_model_git.js';
import { KINDS } from '../tools/sandbox/contained.js';
import { median, type Row } from './row.js';

const FILES = 10_000;
const COMMITS = 5_000;
const ROUNDS = 31;

/** The cost of a private git folder for contained commands, in a large repository. */
export async function privateGitRows(): Promise<Row[]> {
  const [kind] = KINDS;
  if (kind === undefined) return [];
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'cognition-bench-')));
  try {
    const world = openModelGit(join(folder, 'world'), kind);
    const plain = openModelGit(join(folder, 'plain'), kind);
    fill(world);
    await world.model('git status');
    return await measured(world, plain);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function fill({ project, person }: ModelGit): void {
  person('init', '-q', '-b', 'main');
  for (let index = 0; index < FILES; index += 1) {
    const below = join(project, `d${index % 100}`);
    if (index < 100) mkdirSync(below);
    writeFileSync(join(below, `f${index}`), `${index}\n`);
  }
  person('add', '.');
  const commits = Array.from({ length: COMMITS }, (_, index) =>
    [`commit refs/heads/main`, `committer p <p@p> ${index} +0000`, `data 1`, 'x', ''].join('\n'),
  );
  execFileSync('git', ['-C', project, 'fast-import', '--quiet'], { input: `${commits.join('\n')}\n` });
  person('commit', '-qm', 'all');
}

async function measured(world: ModelGit, plain: ModelGit): Promise<Row[]> {
  const none = (): number[] => [];
  const times = { plain: none(), same: none(), changed: none(), status: none(), take: none(), watch: none() };
  const timed = async (into: number[], work: () => Promise<unknown>): Promise<void> => {
    const startedAt = performance.now();
    await work();
    into.push(performance.now() - startedAt);
  };
  const watches = createWatches();
  // Alternating, so that all run under the same load.
  for (let round = 0; round < ROUNDS; round += 1) {
    await timed(times.plain, () => plain.model('true'));
    await timed(times.same, () => world.model('true'));
    world.person('branch', '-f', 'moved', `HEAD~${round + 1}`);
    await timed(times.changed, () => world.model('true'));
    await timed(times.status, () => world.model('git status'));
    await world.model(`git commit -q --allow-empty -m ${round}`);
    await timed(times.take, () => world.take());
    await timed(times.watch, () => world.privateGit.withProject(world.project, watches.begin));
    await world.privateGit.withProject(world.project, watches.end);
    await world.model('true');
  }
  const base = median(times.plain);
  const row = (what: string, ms: readonly number[]): Row => ({
    ...{ what, value: median(ms) / base, unit: '×', budget: null },
    from: `${median(ms).toFixed(1)} ms / ${base.toFixed(1)} ms for true in a folder without git`,
  });
  return [
    { ...row('contained true, 10,000 files and 5,000 commits', times.same), budget: { most: 1.5 } },
    row('the same after the person has moved a branch', times.changed),
    row('git status in it', times.status),
    row('taking a commit over', times.take),
    row('looking for what runs as the person', times.watch),
  ];
}
