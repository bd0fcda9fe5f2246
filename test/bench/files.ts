import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomFrom } from '../gauntlet/extent.js';
import { startWorker, type TestWorker } from '../gauntlet/files.js';
import { median, type Row } from './row.js';

const ROUNDS = 9;
const FEW = 10;
const MANY = 1_000;
const FILES_PER_FOLDER = 20;
/** Far more than a program that compresses looks back: files with the same body but their first line cost as others do. */
const BODIES = 4_000;
const MAX_BYTES = 14_000;
const KIB = 1024;
const GIT_BYTES_MAX = 64 * KIB * KIB;

/** The cost of recording a project and of bringing files back, beside git, which is asked for the same in turn. */
export async function* filesRows({ isLarge }: { isLarge: boolean }): AsyncGenerator<Row> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'cognition-bench-')));
  try {
    for (const count of [1_000, 20_000, ...(isLarge ? [100_000] : [])]) yield* rowsOf(join(folder, `${count}`), count);
  } finally {
    // Not before: some disks make files slowly for a while after many were removed.
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Project {
  top: string;
  paths: readonly string[];
  random(): number;
  git(...words: string[]): string;
}

/** Each as soon as it is measured: at 100,000 files they take minutes. */
async function* rowsOf(folder: string, count: number): AsyncGenerator<Row> {
  const project = makeProject(join(folder, 'project'), count);
  const store = join(folder, 'store');
  let worker = startWorker({ project: project.top, store });
  const about = `${count.toLocaleString('en')} files`;
  try {
    const [gitFirst, first] = await both(
      () => gitSnapshot(project),
      async () => {
        while (!(await isRecorded(worker))) {
          await worker.kill();
          worker = startWorker({ project: project.top, store });
        }
      },
    );
    // As projects are: what is staged and not committed is told line by line.
    project.git('-c', 'user.name=bench', '-c', 'user.email=bench@localhost', 'commit', '-qm', 'first');
    yield ratio(`first snapshot, ${about}`, [[first], [gitFirst]], 0.5);
    await settled(project);
    await worker.ask({ kind: 'snapshot' });
    yield ratio(`nothing changed, ${about}`, await unchangedTimes(project, worker), 1.5);
    yield* await changedRows({ project, worker, store }, about);
    yield ratio(`${MANY} files restored, ${about}`, await restoreTimes(project, worker), 2);
    const { value, from } = memoryOf(worker.pid);
    yield { what: `memory of the process, ${about}`, value, unit: 'MB', budget: { most: 200 }, from };
  } finally {
    await worker.kill();
  }
}

/** On a busy machine the first look may end before it has read all, as it does for people; the next one goes on from there. */
async function isRecorded(worker: TestWorker): Promise<boolean> {
  try {
    await worker.ask({ kind: 'snapshot' });
    return true;
  } catch (error) {
    if (String(error).includes('not enough')) return false;
    throw error;
  }
}

/** Source-like texts, of 7 kB in the mean. */
export function makeProject(top: string, count: number): Project {
  const random = randomFrom(count);
  const words = Array.from({ length: 2_000 }, () => Math.floor(random() * 36 ** 6).toString(36));
  const paths = Array.from({ length: count }, (_, index) => {
    const folder = Math.floor(index / FILES_PER_FOLDER);
    return `d${folder % 50}/e${folder}/f${index}.ts`;
  });
  const bodies = Array.from({ length: Math.min(count, BODIES) }, () => textOf(words, random));
  for (const [index, path] of paths.entries()) {
    const at = join(top, path);
    if (index % FILES_PER_FOLDER === 0) mkdirSync(join(at, '..'), { recursive: true });
    writeFileSync(at, `// ${index}\n${bodies[index % bodies.length]}`);
  }
  const git = (...given: string[]): string =>
    execFileSync('git', ['-C', top, ...given], { encoding: 'utf8', maxBuffer: GIT_BYTES_MAX });
  git('init', '-q');
  git('config', 'gc.auto', '0');
  return { top, paths, random, git };
}

function textOf(words: readonly string[], random: () => number): string {
  const length = 200 + random() * (MAX_BYTES - 200);
  const lines: string[] = [];
  for (let bytes = 0; bytes < length; bytes += lines.at(-1)?.length ?? 1) {
    const line = Array.from({ length: 6 }, () => words[Math.floor(random() ** 2 * words.length)] ?? '');
    lines.push(`  ${line.join(' ')};\n`);
  }
  return lines.join('');
}

function gitSnapshot({ git }: Project): string {
  git('add', '-A');
  return git('write-tree').trim();
}

async function timed(work: () => unknown): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function both(one: () => unknown, other: () => unknown): Promise<[number, number]> {
  return [await timed(one), await timed(other)];
}

/** Waits for the clock of the disk to pass what was just changed. */
async function settled({ git }: Project): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  git('status', '--porcelain');
}

type Times = readonly [mine: readonly number[], gits: readonly number[]];

async function unchangedTimes({ git }: Project, worker: TestWorker): Promise<Times> {
  const [mine, gits]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    gits.push(await timed(() => git('status', '--porcelain')));
    mine.push(await timed(() => worker.ask({ kind: 'snapshot' })));
  }
  return [mine, gits];
}

interface Recorded {
  project: Project;
  worker: TestWorker;
  store: string;
}

async function changedRows({ project, worker, store }: Recorded, about: string): Promise<Row[]> {
  const [mine, gits, diffs, packs]: number[][] = [[], [], [], []];
  let before = await worker.ask({ kind: 'snapshot' });
  for (let round = 0; round < ROUNDS; round += 1) {
    const bytes = packBytes(store);
    const changed = change(project, FEW);
    gits?.push(await timed(() => gitSnapshot(project)));
    let after: string | null = null;
    mine?.push(
      await timed(async () => {
        after = await worker.ask({ kind: 'snapshot' });
      }),
    );
    packs?.push((packBytes(store) - bytes - changed) / KIB);
    diffs?.push(await timed(() => worker.ask({ kind: 'diff', before, after, detail: 'names' })));
    before = after;
  }
  const ms = median(diffs ?? []);
  const kib = Math.max(...(packs ?? []));
  return [
    ratio(`${FEW} files changed, ${about}`, [mine ?? [], gits ?? []], 1),
    { what: `diff of ${FEW}, ${about}`, value: ms, unit: 'ms', budget: { most: 10 }, from: `${ms.toFixed(1)} ms` },
    {
      ...{ what: `pack beyond what was changed, ${about}`, value: kib, unit: 'KB', budget: { most: 25 } },
      from: `the largest of ${ROUNDS}`,
    },
  ];
}

function change({ top, paths, random }: Project, count: number): number {
  let bytes = 0;
  for (let index = 0; index < count; index += 1) {
    const path = join(top, paths[Math.floor(random() * paths.length)] ?? '');
    const text = `${readFileSync(path, 'utf8')}// ${random()}\n`;
    writeFileSync(path, text);
    bytes += text.length;
  }
  return bytes;
}

async function restoreTimes(project: Project, worker: TestWorker): Promise<Times> {
  const [mine, gits]: [number[], number[]] = [[], []];
  const before = { root: await worker.ask({ kind: 'snapshot' }), tree: gitSnapshot(project) };
  change(project, MANY);
  const after = { root: await worker.ask({ kind: 'snapshot' }), tree: gitSnapshot(project) };
  await settled(project);
  // One goes back, the other forth: each makes and removes as many files, which some disks take long to forget.
  const back = { base: after.root, target: before.root, exact: false };
  for (let round = 0; round < ROUNDS; round += 1) {
    mine.push(await timed(() => worker.ask({ kind: 'restore', ...back })));
    // Its index is to know what is there.
    gitSnapshot(project);
    gits.push(await timed(() => project.git('read-tree', '-u', '-m', before.tree, after.tree)));
    await worker.ask({ kind: 'snapshot' });
  }
  return [mine, gits];
}

function packBytes(store: string): number {
  const packs = join(store, 'packs');
  return readdirSync(packs).reduce((sum, name) => sum + statSync(join(packs, name)).size, 0);
}

function memoryOf(pid: number): { value: number; from: string } {
  const [, kib = '0'] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return { value: Number(kib) / KIB, from: 'the most that it ever had' };
}

function ratio(what: string, [mine, gits]: Times, most: number): Row {
  const [own, base] = [median(mine), median(gits)];
  return {
    what,
    value: own / base,
    unit: '×',
    budget: { most },
    from: `${own.toFixed(1)} ms / ${base.toFixed(1)} ms of git`,
  };
}
