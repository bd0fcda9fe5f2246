import { createHash } from 'node:crypto';
import { realpathSync, statSync } from 'node:fs';
import { detach, neverFails } from '../../hub/base/detach.js';
import { hasHandlePaths } from '../../hub/base/disk/held_folder.js';
import { HubError } from '../../hub/base/error.js';
import { isWithin } from '../../hub/base/is_within.js';
import { Sha256, type TurnId } from '../../hub/protocol/node.js';
import type { MachinePaths } from '../base/tool_parts.js';
import { copyFolder } from '../policy/copy_folder.js';
import { attempt } from '../walk/pinned_folder.js';
import { isSystemFolder } from './system_folder.js';
import type { WorkerReport, WorkerRequest } from './worker/messages.js';
import { type WorkerParts, workerCommand } from './worker_command.js';
import { startWorker, type WorkerProcess } from './worker_process.js';
import { noteWriter, untilEnded } from './writer_file.js';

/** A project by its real path, and its folder in the store. */
export interface StoredProject {
  id: Sha256;
  path: string;
  /** The turn whose copy is at that path; null for the project itself. */
  copy: TurnId | null;
  /** The project that a new copy is made of; null for everything else. */
  from: string | null;
}

/** The processes that look at projects: one for each, which ends when nothing has been asked of it for a while. */
export interface ProjectWorkers {
  /** Resolves when what was to be recorded of it is; refuses a folder whose files are not recorded. */
  project(path: string): Promise<StoredProject>;
  /** Records a project, after what was begun before; everything else waits for its end. */
  record<T>(path: string, work: (project: StoredProject) => Promise<T>): Promise<T>;
  /** Resolves when nothing is recorded any more. */
  settled(): Promise<void>;
  /** The copy of a project in which a turn works. */
  copyOf(folder: Sha256, turn: TurnId): StoredProject;
  /** Ends the process of a project when it has done what was asked: its folder is to have another name. */
  rest(folder: Sha256): Promise<void>;
  ask(project: StoredProject, request: WorkerRequest): Promise<WorkerReport>;
  /** Works on what is stored of a project, which need not be there any more. */
  maintain(id: Sha256, request: () => Promise<WorkerRequest>): Promise<WorkerReport>;
  close(): Promise<void>;
}

const IDLE_MS = 20_000;

export function createProjectWorkers(parts: WorkerParts): ProjectWorkers {
  const { machine } = parts;
  const workers = new Map<Sha256, { worker: WorkerProcess; inode: number }>();
  const queues = new Map<Sha256, Promise<unknown>>();
  const timers = new Map<Sha256, NodeJS.Timeout>();
  const recordings = createRecordings();

  /** One thing after the other: a folder has one writer. */
  function inTurn<T>(id: Sha256, work: () => Promise<T>): Promise<T> {
    const done = (queues.get(id) ?? Promise.resolve()).then(() => {
      clearTimeout(timers.get(id));
      return work();
    });
    const settled = done.catch(() => undefined); // its caller gets the failure
    queues.set(id, settled);
    return done.finally(() => {
      const timer = setTimeout(() => detach(endWorker(id), neverFails), IDLE_MS);
      timers.set(id, timer.unref());
    });
  }

  /** Where a folder was made anew, what is known of the old one does not hold. */
  async function workerFor({ id, path, copy, from }: StoredProject): Promise<WorkerProcess> {
    const inode = attempt(() => statSync(path).ino) ?? 0;
    const known = workers.get(id);
    if (known?.worker.isAlive() === true && known.inode === inode) return known.worker;
    await endWorker(id);
    const worker = await startFor(parts, id, { path, copy, from });
    workers.set(id, { worker, inode });
    return worker;
  }

  async function endWorker(id: Sha256): Promise<void> {
    const known = workers.get(id);
    workers.delete(id);
    await known?.worker.end();
  }

  return {
    async project(path) {
      const project = projectAt(path, machine);
      await recordings.ended(project.id);
      return project;
    },
    record: async (path, work) => recordings.add(projectAt(path, machine), work),
    settled: recordings.allEnded,
    copyOf: (folder, turn) => ({ id: folder, path: copyFolder({ folder, turn }, machine), copy: turn, from: null }),
    rest: (folder) => inTurn(folder, () => endWorker(folder)),
    ask: (project, request) => inTurn(project.id, async () => (await workerFor(project)).ask(request)),
    maintain: (id, request) =>
      inTurn(id, async () => {
        await endWorker(id);
        const worker = await startFor(parts, id, null);
        const report = await worker.ask(await request());
        await worker.end();
        return report;
      }),
    async close() {
      for (const timer of timers.values()) clearTimeout(timer);
      await Promise.all([...workers.keys()].map(endWorker));
    },
  };
}

/** Starts a worker when that of a killed process has come to its end. */
async function startFor(parts: WorkerParts, id: Sha256, at: Omit<StoredProject, 'id'> | null): Promise<WorkerProcess> {
  const { folder, ...command } = await workerCommand(parts, id, at);
  const writer = `${folder}/writer`;
  await untilEnded(writer);
  const worker = startWorker(command);
  await noteWriter(writer, worker.pid);
  return worker;
}

/** What is being recorded: one thing after the other of each project. */
function createRecordings() {
  const last = new Map<Sha256, Promise<unknown>>();
  return {
    async add<T>(project: StoredProject, work: (project: StoredProject) => Promise<T>): Promise<T> {
      const { id } = project;
      const done = (last.get(id) ?? Promise.resolve()).then(() => work(project));
      const ended = done.catch(() => undefined); // its caller gets the failure
      last.set(id, ended);
      await ended;
      if (last.get(id) === ended) last.delete(id);
      return done;
    },
    async ended(id: Sha256): Promise<void> {
      await last.get(id);
    },
    async allEnded(): Promise<void> {
      await Promise.all(last.values());
    },
  };
}

/** A project by its path; refuses a folder whose files are not recorded. */
function projectAt(path: string, { userHome, cognitionHome }: MachinePaths): StoredProject {
  const real = attempt(() => realpathSync.native(path));
  if (real === null || attempt(() => statSync(real).isDirectory()) !== true) {
    throw new HubError('not_found', `the folder ${JSON.stringify(path)} is not there (any more)`);
  }
  const isCognitions = isWithin(cognitionHome, real) || isWithin(real, cognitionHome);
  if (isWithin(userHome, real) || isCognitions || isSystemFolder(real)) {
    throw new HubError('limit', `the files of ${real} are not recorded: it is more than a project`, {
      hint: 'begin in the folder of a project, and its files follow the branch',
    });
  }
  if (!hasHandlePaths) throw new HubError('limit', 'files are recorded on Linux only');
  return { id: idOfPath(real), path: real, copy: null, from: null };
}

/** What names a project in the store, by its real path. */
export function idOfPath(path: string): Sha256 {
  return Sha256.parse(createHash('sha256').update(path).digest('hex'));
}
