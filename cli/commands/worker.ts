import { command } from '../command_line/command.js';
import { runWorker } from '../sharing/take_tasks.js';
import { readWorkerPlan, WORKER_FLAGS, WORKER_VALUES } from '../sharing/worker_plan.js';
import { refuseInside } from '../turn/refuse_inside_model.js';

export const workerCommand = command({
  name: 'worker',
  summary: 'Answer what others ask over a remote, on this machine.',
  details:
    'It runs until Ctrl-C, which ends it after the steps that are running; once more ends it at once, as SIGTERM does: what it had goes back. Each task is a turn in a copy of the project, in the sandbox, with the keys of this machine, and sends its steps as they are made; what it has changed comes as a patch at its end. A task names a message, a project, and at most less than the worker gives: a lower level, less money, one of its models. Whose task it is says the database, by their login.',
  flags: [...WORKER_FLAGS],
  values: [...WORKER_VALUES],
  examples: [
    {
      line: 'cognition worker --remote team --project ~/web --level minimal --for anna,ben --max-cost 2',
      does: 'works on that folder for two people, for at most two dollars a task',
    },
    { line: 'cognition worker --level readonly --model demo', does: 'tries it: your own tasks in this folder' },
  ],
  async run(input, context) {
    refuseInside('worker');
    const plan = await readWorkerPlan(input, context);
    const { facts, remote } = plan;
    const people = facts.people ?? ['you'];
    const whose = people === '*' ? 'anybody who may write there' : people.join(', ');
    context.note(
      `Works on ${facts.project} over ${remote} for ${whose}, at level ${facts.level}, ${facts.at_once} at once.`,
    );
    return runWorker(context, plan);
  },
});
