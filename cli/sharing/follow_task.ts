import { setTimeout as pause } from 'node:timers/promises';
import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import { textOf } from '../../hub/base/node_blocks.js';
import type { Client } from '../../hub/client/client.js';
import type { Task } from '../../hub/protocol/methods/task_methods.js';
import type { Node, NodeId, TreeId } from '../../hub/protocol/node.js';
import type { Context } from '../command_line/command_context.js';
import { EXIT } from '../output/failure.js';
import { callLine } from '../render/node/call_line.js';
import { clean, cleanLine } from '../render/text/clean.js';
import { shortId } from '../render/text/ids_and_counts.js';

const WAIT_MS = 20_000;
const RETRY_MS = 3_000;
const LINE_LENGTH_MAX = 200;

interface Following {
  remote: string;
  task: string;
  tree: TreeId;
  node: NodeId;
}

/** Shows the steps of a task as they come, until it has ended: what is done on stderr, the answer on stdout. */
export async function followTask(context: Context, following: Following): Promise<{ code: number; tip: NodeId }> {
  const { remote, task: id } = following;
  const client = await context.client();
  const steps = createSteps(context, client, following);
  let seen: Task | null = null;
  for (;;) {
    const task: Task | null = await orAway(context, () => waitFor(client, { remote, task: id, seen }));
    if (task === null) continue;
    await noteState(context, { client, remote, task, before: seen });
    const isShown = task.tip === null || (await orAway(context, async () => steps.show(task.tip))) !== null;
    const hasEnded = ['done', 'failed', 'stopped'].includes(task.state);
    // What is not here yet is asked for again.
    seen = isShown ? task : null;
    if (hasEnded && isShown) return endWith(context, task, steps);
    if (!isShown) await pause(RETRY_MS);
  }
}

async function waitFor(
  client: Client,
  { remote, task, seen }: { remote: string; task: string; seen: Task | null },
): Promise<Task> {
  const state = seen === null ? null : { state: seen.state, tip: seen.tip };
  return (await client.call('sharing.task_wait', { remote, task, seen: state, wait_ms: WAIT_MS })).task;
}

/** Null while the remote is away; it goes on there meanwhile. */
async function orAway<T>(context: Context, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof HubError && error.kind === 'network')) throw error;
    context.note(`${error.message}; it tries again.`);
    await pause(RETRY_MS);
    return null;
  }
}

async function noteState(
  context: Context,
  { client, remote, task, before }: { client: Client; remote: string; task: Task; before: Task | null },
): Promise<void> {
  if (before?.state === task.state && before.worker?.hub === task.worker?.hub) return;
  if (task.state === 'running') context.note(cleanLine(`${task.worker?.by ?? 'A worker'} works on it.`));
  if (task.state !== 'queued') return;
  const { workers } = await client.call('sharing.task_list', { remote, limit: 1_000 });
  const some = workers.some(({ project }) => project === task.project);
  const words = some ? 'It waits for a worker.' : `It waits: nobody works on ${task.project} over ${remote} now.`;
  context.note([`${words} Look with: `, cliCommand('workers')]);
}

interface Steps {
  show(tip: NodeId | null): Promise<true>;
  /** The answer, as far as nothing follows it. */
  answer(): string;
}

function createSteps(context: Context, client: Client, { remote, tree, node }: Following): Steps {
  const shown = new Set<NodeId>([node]);
  let answer = '';
  const note = (text: string): void => {
    if (text !== '') context.note(text.length > LINE_LENGTH_MAX ? `${text.slice(0, LINE_LENGTH_MAX)}…` : text);
  };
  const showNode = (one: Node): void => {
    const said = textOf(one.blocks).trim();
    if (one.kind === 'external' && one.external.call.tool === 'patch') {
      context.note([
        `${cleanLine(said.split('\n')[0] ?? '')} Take it with: `,
        cliCommand('output', shortId(one.id)),
        ' | git apply',
      ]);
      return;
    }
    note(clean(answer));
    answer = one.role === 'assistant' ? said : '';
    if (one.kind === 'external') note(callLine(one.external.call));
    else if (one.role === 'user') note(clean(said));
  };
  return {
    answer: () => answer,
    async show(tip) {
      if (tip === null || shown.has(tip)) return true;
      await client.call('sharing.sync', { remote, tree, sends: false, fetches: true });
      const { depth } = (await client.call('loom.node_get', { node, tree })).node;
      for await (const one of client.pages('loom.context_get_path', { node: tip, from_depth: depth + 1 }, 'nodes')) {
        if (!shown.has(one.id)) showNode(one);
        shown.add(one.id);
      }
      return true;
    },
  };
}

async function endWith(context: Context, task: Task, steps: Steps): Promise<{ code: number; tip: NodeId }> {
  const { state, tip, node, reason, price_microdollars } = task;
  const text = steps.answer();
  const end = { task: task.id, tree: task.tree, state, reason, tip: tip ?? node, price_microdollars, text };
  if (context.json) await context.printJson(end);
  else if (text !== '') await context.out.write(`${clean(text)}\n`);
  if (state === 'done') return { code: EXIT.ok, tip: end.tip };
  if (!context.json)
    context.note(cleanLine(`${state === 'stopped' ? 'Stopped' : 'It failed'}: ${reason ?? 'nobody ran it'}`));
  return { code: state === 'stopped' ? EXIT.interrupted : EXIT.failure, tip: end.tip };
}
