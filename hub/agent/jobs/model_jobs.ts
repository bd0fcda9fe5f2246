import { onAbort } from '../../base/abort.js';
import { detach, neverFails } from '../../base/detach.js';
import type { InternalCaller } from '../../base/internal_call.js';
import type { External, TreeId, TurnId } from '../../protocol/node.js';
import type { CallResult, CallSurroundings, ModelCall } from '../tools/model_call.js';
import type { ProjectWatch } from '../tools/project_watch.js';
import { type Job, type JobStart, jobWords } from './job.js';
import { readJob } from './job_output.js';
import type { Jobs } from './jobs.js';

/** How long a call waits for the first output of its job. */
const FIRST_MS = 2_000;
/** How much of what is new a model is sent: the end. */
const SHOWN_BYTES_MAX = 20_000;

/** The jobs of one turn's tree, for its model. */
export interface ModelJobs {
  msMax(): number;
  /** Starts one; the result has its first output. */
  start(
    call: ModelCall,
    begun: Pick<JobStart, 'command' | 'run'> & { name: string | undefined },
    around: CallSurroundings,
  ): Promise<CallResult>;
  /** What one has printed since the model was told last; with \`stop\` that is the rest of it. */
  read(
    call: ModelCall,
    wanted: { name: string; stop: boolean; waitMs: number },
    around: CallSurroundings,
  ): Promise<CallResult>;
  /** Adds to a result which jobs have ended meanwhile. */
  withEnds(result: CallResult): CallResult;
}

export interface ModelJobsParts {
  reach: InternalCaller;
  jobs: Jobs;
  tree: TreeId;
  turn: TurnId;
  /** Watches what a job leaves, which may be more after the turn. */
  newWatch(): ProjectWatch;
  /** How long a job may run. */
  jobMsMax(): number;
}

export function openModelJobs({ reach, jobs, tree, turn, newWatch, jobMsMax }: ModelJobsParts): ModelJobs {
  async function tellNew(call: ModelCall, job: Job, { waitMs, signal }: { waitMs: number; signal: AbortSignal }) {
    const wanted = { offset: job.seenBytes, bytesMax: SHOWN_BYTES_MAX, waitMs };
    const { text, totalBytes } = await readJob({ hub: reach.hub, context: { ...reach.context, signal } }, job, wanted);
    job.seenBytes = totalBytes;
    if (job.end !== null) job.end.isTold = true;
    return resultOf(call, job, text);
  }

  return {
    msMax: jobMsMax,
    async start(call, { name = null, ...begun }, { signal }) {
      const watch = newWatch();
      await watch.begin();
      const started = jobs.start({ ...begun, name, tree, turn, id: call.id, left: watch.end }, signal);
      // One that does not begin leaves nothing.
      const job = await started.catch((error: unknown) => watch.end().then(() => Promise.reject(error)));
      // Whose call is interrupted before its result is no job that the model knows of.
      const stopListening = onAbort(signal, () => detach(jobs.stop([job], 'the end of its call'), neverFails));
      const telling = tellNew(call, job, { waitMs: FIRST_MS, signal });
      const { blocks, external } = await telling.finally(stopListening);
      // One that could not do its work has failed as any command.
      return { blocks, external: { ...external, exit_code: job.end?.exitCode ?? 0 } };
    },
    async read(call, { name, stop, waitMs }, { signal }) {
      const job = jobs.get(tree, name);
      if (stop) await jobs.stop([job], 'the model');
      return tellNew(call, job, { waitMs, signal });
    },
    withEnds({ blocks, external }) {
      const lines = jobs.takeEnds(tree).map((words) => `(${words})`);
      return { blocks: lines.length === 0 ? blocks : [...blocks, { type: 'text', text: lines.join('\n') }], external };
    },
  };
}

function resultOf({ call, tool, input }: ModelCall, job: Job, printed: string): CallResult {
  const lineBreak = printed === '' || printed.endsWith('\n') ? '' : '\n';
  const external: External = {
    call: { tool, input, id: call },
    handle: {
      source: 'job',
      source_version: '1.0.0',
      identifier: `${job.name}/cmd-${job.id}`,
      metadata: { job: job.name },
    },
    ...{ output: null, exit_code: 0, signal: null, duration_ms: null, cwd: null },
  };
  return { blocks: [{ type: 'text', text: `${printed}${lineBreak}(${jobWords(job)})` }], external };
}
