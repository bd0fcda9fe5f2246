import type { InternalCaller } from '../../base/internal_call.js';
import type { Handlers, HubCalls, HubResolve } from '../../base/plugin.js';
import type { ResultOf } from '../../protocol/methods/method_table.js';
import type { Job } from './job.js';
import { type JobOutput, readJob } from './job_output.js';
import type { Jobs } from './jobs.js';

/** How much of its output stands in a list. */
const LAST_BYTES = 400;

type JobFacts = ResultOf<'agent.job_list'>['jobs'][number];

/** The methods by which people see and end what models run in the background. */
export function jobMethods(hub: HubCalls & HubResolve, jobs: Jobs) {
  return {
    'agent.job_list': async ({ tree }, context) => ({
      jobs: await Promise.all(
        jobs.list(tree).map(async (job) => factsOf(job, await newestOf({ hub, context }, job, LAST_BYTES))),
      ),
    }),
    'agent.job_read': async ({ tree, name, bytes_max }, context) => {
      const job = jobs.get(tree, name);
      const output = await newestOf({ hub, context }, job, bytes_max);
      return { job: factsOf(job, { ...output, text: output.text.slice(-LAST_BYTES) }), text: output.text };
    },
    'agent.job_stop': async ({ tree, name }) => {
      const named = name === null ? jobs.list(tree) : [jobs.get(tree, name)];
      return { stopped: (await jobs.stop(named, 'the person')).map((job) => job.name) };
    },
  } satisfies Handlers;
}

function newestOf(reach: InternalCaller, job: Job, bytesMax: number): Promise<JobOutput> {
  return readJob(reach, job, { offset: 0, bytesMax, waitMs: 0 });
}

function factsOf({ tree, turn, name, command, startedAtMs, end }: Job, { text, totalBytes }: JobOutput): JobFacts {
  return {
    ...{ tree, turn, name, command, started_at_ms: startedAtMs },
    ended: end === null ? null : { at_ms: end.atMs, exit_code: end.exitCode, how: end.how },
    ...{ last: text, output_bytes: totalBytes },
  };
}
