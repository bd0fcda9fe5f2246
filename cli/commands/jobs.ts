import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import type { ResultOf } from '../../hub/protocol/methods/method_table.js';
import type { TreeId } from '../../hub/protocol/node.js';
import { command } from '../command_line/command.js';
import type { Context } from '../command_line/command_context.js';
import { EXIT } from '../output/failure.js';
import { findTree } from '../position/reference.js';
import type { Look } from '../render/look/look.js';
import { formatAge } from '../render/text/age.js';
import { cleanLine, createCleaner } from '../render/text/clean.js';
import { columns } from '../render/text/columns.js';
import { cut } from '../render/text/cut.js';
import { shortId } from '../render/text/ids_and_counts.js';

type Job = ResultOf<'agent.job_list'>['jobs'][number];

const SHOWN_BYTES_MAX = 262_144;
const COMMAND_COLUMNS_MAX = 40;

export const jobsCommand = command({
  name: 'jobs',
  summary: 'Show or end what models run in the background, such as servers.',
  details:
    'Of all conversations, or of one: the name, how it is, when it began, what it printed last, and the command. With a name it prints the end of what that one has printed. Jobs end with the hub, with /stop in a chat, with a limit of a turn, and after jobs.minutes_max.',
  arguments: [
    { name: 'tree', required: false, description: 'the conversation; all of them without', completes: 'tree' },
    { name: 'name', required: false, description: 'one job of it', completes: null },
  ],
  flags: [{ name: 'stop', short: null, description: 'end the job, or all of the conversation' }],
  examples: [
    { line: 'cognition jobs', does: 'lists what runs' },
    { line: 'cognition jobs @ web', does: 'prints what the job web of the current conversation has printed' },
    { line: 'cognition jobs @ web --stop', does: 'ends it' },
  ],
  async run(input, context) {
    const [reference, name = null] = [input.argument('tree'), input.argument('name')];
    const isStopping = input.flag('stop');
    const purpose = isStopping ? 'change' : 'read';
    const tree = reference === undefined ? null : (await findTree(context, reference, purpose)).id;
    if (isStopping) await stopJobs(context, tree, name);
    else if (tree !== null && name !== null) await printOutput(context, tree, name);
    else await printList(context, tree);
    return EXIT.ok;
  },
});

async function stopJobs(context: Context, tree: TreeId | null, name: string | null): Promise<void> {
  if (tree === null) {
    throw new HubError('invalid_params', 'the jobs of which conversation are to end?', {
      hint: ['those of the current one: ', cliCommand('jobs', '@', '--stop')],
    });
  }
  const result = await (await context.client()).call('agent.job_stop', { tree, name });
  if (context.json) await context.printJson(result);
  else
    await context.out.write(
      result.stopped.length === 0 ? 'Nothing was running.\n' : `ended: ${result.stopped.join(', ')}\n`,
    );
}

async function printOutput(context: Context, tree: TreeId, name: string): Promise<void> {
  const read = { tree, name, bytes_max: SHOWN_BYTES_MAX };
  const result = await (await context.client()).call('agent.job_read', read);
  if (context.json) return context.printJson(result);
  const cleaner = createCleaner();
  const text = cleaner.take(result.text) + cleaner.end();
  const lineBreak = text === '' || text.endsWith('\n') ? '' : '\n';
  const state = result.job.ended === null ? 'is running' : `has ended: ${result.job.ended.how}`;
  await context.out.write(`${text}${lineBreak}`);
  context.note(cleanLine(`(${name} ${state})`));
}

async function printList(context: Context, tree: TreeId | null): Promise<void> {
  const { jobs } = await (await context.client()).call('agent.job_list', { tree });
  if (context.json) return context.printJson({ jobs });
  const look = await context.look(jobs.flatMap((job) => [job.command, job.last]));
  const rows = jobs.map((job) => [...(tree === null ? [shortId(job.tree)] : []), ...rowOf(job, look)]);
  const lines = columns(rows, look).map((line) => `${cut(line, look.width, look)}\n`);
  await context.out.write(jobs.length === 0 ? 'Nothing runs in the background.\n' : lines.join(''));
}

function rowOf({ name, ended, started_at_ms, last, command: text }: Job, look: Look): string[] {
  const state = ended === null ? 'running' : cleanLine(ended.how);
  return [
    name,
    state,
    formatAge(started_at_ms, look.nowMs),
    cut(cleanLine(text), COMMAND_COLUMNS_MAX, look),
    cleanLine(last.trimEnd().split('\n').at(-1) ?? ''),
  ];
}
