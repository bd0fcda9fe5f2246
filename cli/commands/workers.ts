import { HubError } from '../../hub/base/error.js';
import { command } from '../command_line/command.js';
import { EXIT } from '../output/failure.js';
import { shortId } from '../render/text/ids_and_counts.js';
import { chosenRemote } from '../sharing/remotes.js';
import { workersText } from '../sharing/workers_text.js';

export const workersCommand = command({
  name: 'workers',
  summary: 'Show who works over a remote, on what, and what waits.',
  details: 'Workers are those of the last minute; prices are what they have told so far.',
  values: [
    { name: 'remote', value: 'name', choices: null, description: 'which one; the only remote when left out' },
    { name: 'cancel', value: 'task', choices: null, description: 'end this task, by 4 or more digits of its id' },
  ],
  examples: [
    { line: 'cognition workers', does: 'lists workers and tasks' },
    { line: 'cognition workers --cancel 1a2b3c4d', does: 'ends a task: one that runs keeps what was said' },
  ],
  async run(input, context) {
    const remote = chosenRemote(context, input.value('remote'));
    const client = await context.client();
    const listed = await client.call('sharing.task_list', {
      remote,
      limit: input.value('cancel') === undefined ? 50 : 1_000,
    });
    const wanted = input.value('cancel');
    if (wanted === undefined) {
      if (context.json) await context.printJson({ remote, ...listed });
      else {
        const look = await context.look(listed.tasks.map(({ title }) => title));
        await context.out.write(workersText(listed, look));
      }
      return EXIT.ok;
    }
    const { state } = await client.call('sharing.task_stop', {
      remote,
      task: taskCalled(remote, wanted, listed.tasks),
    });
    if (context.json) await context.printJson({ remote, task: wanted, state });
    else await context.out.write(state === 'running' ? 'Its worker is told to stop.\n' : `It is ${state}.\n`);
    return EXIT.ok;
  },
});

function taskCalled(remote: string, wanted: string, tasks: readonly { id: string }[]): string {
  const found = /^[0-9a-f-]{4,36}$/.test(wanted) ? tasks.filter(({ id }) => id.startsWith(wanted)) : [];
  const [first, second] = found;
  if (first !== undefined && second === undefined) return first.id;
  const many =
    second === undefined
      ? ''
      : `: ${found
          .slice(0, 5)
          .map(({ id }) => shortId(id))
          .join(', ')}`;
  throw new HubError(
    second === undefined ? 'not_found' : 'ambiguous',
    `${remote} has ${second === undefined ? 'no task' : 'more than one task'} ${wanted}${many}`,
    {
      hint: 'tasks are listed by: workers',
    },
  );
}
