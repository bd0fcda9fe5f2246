import { onAbort } from '../../base/abort.js';
import { detach, neverFails } from '../../base/detach.js';
import { HubError } from '../../base/error.js';
import type { External, TreeId } from '../../protocol/node.js';
import type { AgentEvent } from '../../protocol/turn.js';
import { beginJob, endOf, type Job, type JobStart, jobWords } from './job.js';

/** The most jobs of a tree at once, and the most that have ended and are still known. */
const RUNNING_MAX = 8;
const ENDED_MAX = 8;

/** The commands that models run in the background, by their trees. They end with this hub. */
export interface Jobs {
  /** Resolves once it runs; the signal ends it until then. Without a name it gets one. */
  start(begun: Omit<JobStart, 'name' | 'startedAtMs'> & { name: string | null }, signal: AbortSignal): Promise<Job>;
  /** Throws for an unknown name. */
  get(tree: TreeId, name: string): Job;
  /** Those of a tree, or all, the oldest first. */
  list(tree: TreeId | null): Job[];
  /** Ends those that run and resolves when no process of them is left; returns which. */
  stop(jobs: readonly Job[], by: string): Promise<Job[]>;
  /** How jobs of a tree have ended, as far as its model does not know yet. */
  takeEnds(tree: TreeId): string[];
  /** What is told of each tree in which jobs are running. */
  now(): JobsEvent[];
  /** Calls back when a job begins or ends; returns what ends that. */
  onChange(tell: (event: JobsEvent) => void): () => void;
}

export type JobsEvent = Extract<AgentEvent, { kind: 'jobs_changed' }>;

export function createJobs(nowMs: () => number): Jobs {
  let all: readonly Job[] = [];
  const watchers = new Set<(event: JobsEvent) => void>();
  const list = (tree: TreeId | null): Job[] => all.filter((job) => tree === null || job.tree === tree);

  function eventOf({ tree, turn }: Job, told: string | null): JobsEvent {
    return { kind: 'jobs_changed', turn, tree, running: list(tree).filter(isRunning).length, told };
  }

  function tell(job: Job, told: string | null): void {
    for (const watcher of watchers) watcher(eventOf(job, told));
  }

  function finish(job: Job, external: External | null, left: Promise<readonly string[]>): void {
    job.end = endOf(job, external, nowMs());
    const forgotten = oldest(list(job.tree));
    all = all.filter((one) => !forgotten.includes(one));
    tell(job, job.stoppedBy === null ? jobWords(job) : null);
    const tellLeft = (lines: readonly string[]) => lines.length > 0 && tell(job, lines.join('\n'));
    detach(left.then(tellLeft), neverFails);
  }

  return {
    list,
    now: () => [...new Map(all.filter(isRunning).map((job) => [job.tree, eventOf(job, null)])).values()],
    async start(begun, signal) {
      const here = list(begun.tree);
      const name = begun.name ?? freeName(here);
      refuseStart(here, name);
      const { job, started } = beginJob({ ...begun, name, startedAtMs: nowMs() }, finish);
      // One of its name that has ended is forgotten.
      all = [...all.filter(({ tree, name }) => tree !== job.tree || name !== job.name), job];
      const stopListening = onAbort(signal, job.stop);
      try {
        await started;
      } catch (error) {
        all = all.filter((one) => one !== job);
        throw error;
      } finally {
        stopListening();
      }
      tell(job, null);
      return job;
    },
    get(tree, name) {
      const job = list(tree).find((one) => one.name === name);
      if (job === undefined) throw unknownJob(list(tree), name);
      return job;
    },
    async stop(jobs, by) {
      const running = jobs.filter(isRunning);
      for (const job of running) {
        job.stoppedBy ??= by;
        job.stop();
      }
      await Promise.all(running.map(({ ended }) => ended));
      return running;
    },
    takeEnds: (tree) => tellEnds(list(tree)),
    onChange(watcher) {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
  };
}

/** Those that have ended and are not to be known any longer. */
function oldest(jobs: readonly Job[]): readonly Job[] {
  const ended = jobs.filter((job) => !isRunning(job));
  return ended.slice(0, Math.max(0, ended.length - ENDED_MAX));
}

/** How jobs have ended of which the model does not know; from here on it does. */
function tellEnds(jobs: readonly Job[]): string[] {
  const untold = jobs.filter(({ end }) => end?.isTold === false);
  for (const { end } of untold) if (end !== null) end.isTold = true;
  return untold.map(jobWords);
}

function unknownJob(jobs: readonly Job[], name: string): HubError {
  const names = jobs.map((job) => job.name);
  return new HubError('not_found', `there is no job ${JSON.stringify(name)}`, {
    hint: names.length === 0 ? 'jobs end with the hub that runs them' : `the jobs are: ${names.join(', ')}`,
  });
}

function isRunning({ end }: Job): boolean {
  return end === null;
}

function freeName(jobs: readonly Job[]): string {
  for (let number = 1; ; number++) {
    const name = `job-${number}`;
    if (jobs.every((job) => job.name !== name)) return name;
  }
}

function refuseStart(jobs: readonly Job[], name: string): void {
  const running = jobs.filter(isRunning);
  const names = running.map((job) => job.name);
  if (names.includes(name)) {
    throw new HubError('conflict', `there is a job ${name} already`, { hint: 'stop it first, or take another name' });
  }
  if (running.length < RUNNING_MAX) return;
  throw new HubError('limit', `${RUNNING_MAX} jobs are running`, { hint: `stop one first: ${names.join(', ')}` });
}
