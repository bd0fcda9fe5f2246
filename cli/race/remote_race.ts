import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import type { Client } from '../../hub/client/client.js';
import type { TreeId } from '../../hub/protocol/node.js';
import type { Context } from '../command_line/command_context.js';
import { interruptible } from '../command_line/interruption.js';
import { EXIT } from '../output/failure.js';
import { cleanLine } from '../render/text/clean.js';
import { count } from '../render/text/ids_and_counts.js';
import { addMessage, type RemoteQuestion, wantedOf, workersProject } from '../sharing/ask_on_remote.js';
import { isUnderWay } from './board.js';
import { showBoard } from './board_screen.js';
import { createRemoteReader, type RemoteLane, type RemoteRace, refuseInChat, remoteLane } from './remote_lanes.js';

const PACE_MS = 2_000;

/** Has workers of a remote answer a message, one for each model, and shows how they stand until all have ended. */
export async function raceOnRemote(
  context: Context,
  question: RemoteQuestion,
  { remote, models }: { remote: string; models: readonly string[] },
): Promise<number> {
  refuseInChat(context);
  const { cost_microdollars: most, level } = wantedOf(question);
  const project = workersProject(context, question.input);
  const { tree, node } = await addMessage(context, question);
  const client = await context.client();
  await noteAbsent(context, client, { remote, project, models });
  // What may be spent is for all of them.
  const each = most === null ? null : Math.max(1, Math.floor(most / models.length));
  const tasks: string[] = [];
  try {
    for (const model of models) {
      const id = randomUUID();
      const wanted = { remote, id, tree, node, project, model, level, cost_microdollars: each };
      const { shared } = await client.call('sharing.task_create', wanted);
      tasks.push(id);
      if (shared)
        context.note(`The conversation is shared over ${remote} from now on: who may read there can read all of it.`);
    }
  } catch (error) {
    await stopAll(client, remote, tasks);
    throw error;
  }
  const isDetached = question.input.flag('detach');
  if (isDetached) context.note(['How they stand: ', cliCommand('race', '--on', remote)]);
  return isDetached ? EXIT.ok : follow(context, { remote, tree, node }, () => stopAll(client, remote, tasks));
}

/** Says which lanes have to wait. */
async function noteAbsent(
  context: Context,
  client: Client,
  { remote, project, models }: { remote: string; project: string; models: readonly string[] },
): Promise<void> {
  const { workers } = await client.call('sharing.task_list', { remote, limit: 1_000 });
  const here = workers.filter((worker) => worker.project === project);
  const has = (model: string): boolean => here.some((worker) => worker.models.split(', ').includes(model));
  for (const model of new Set(models))
    if (!has(model))
      context.note(cleanLine(`Nobody works on ${project} over ${remote} with ${model} now: its lane waits.`));
}

async function stopAll(client: Client, remote: string, tasks: readonly string[]): Promise<void> {
  // One that has ended need not be stopped.
  for (const task of tasks) await client.call('sharing.task_stop', { remote, task }).catch(() => undefined);
}

/** Shows a race that is under way, until it has ended. */
async function follow(context: Context, race: RemoteRace, stop: () => Promise<void>): Promise<number> {
  const read = createRemoteReader(await context.client());
  let lanes: readonly RemoteLane[] = [];
  const board = showBoard(context, async () => lanes);
  const leaving = new AbortController();
  const work = async (): Promise<void> => {
    board.begin();
    for (;;) {
      lanes = await readAgain(context, () => read(race), lanes);
      if (lanes.length > 0 && !lanes.some(isUnderWay)) return;
      if (leaving.signal.aborted) return;
      await pause(PACE_MS, undefined, { signal: leaving.signal }).catch(() => undefined); // the person has stopped it
    }
  };
  const { interrupted } = await interruptible(work, () => {
    stop().then(
      () => leaving.abort(),
      () => leaving.abort(),
    );
  });
  await board.end();
  if (context.json) await context.printJson({ remote: race.remote, tree: race.tree, node: race.node, lanes });
  return interrupted ?? tellEnd(context, race.remote, lanes);
}

/** What was there before, while the remote is away. */
async function readAgain<T>(context: Context, read: () => Promise<T>, before: T): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof HubError && error.kind === 'network')) throw error;
    context.note(`${error.message}; it tries again.`);
    return before;
  }
}

function tellEnd(context: Context, remote: string, lanes: readonly RemoteLane[]): number {
  for (const { number, reason } of lanes) if (reason !== null) context.note(cleanLine(`Lane ${number}: ${reason}`));
  const best = lanes.find(({ state }) => state === 'done');
  if (best === undefined) return EXIT.failure;
  context.note([`${count(lanes.length, 'lane')}. Take one: `, cliCommand('pick', String(best.number), '--on', remote)]);
  return EXIT.ok;
}

/** Shows how the newest race of a conversation stands, or stops one of its lanes. */
export async function showRemoteRace(
  context: Context,
  { remote, tree }: { remote: string; tree: TreeId },
  stopped: string | undefined,
): Promise<number> {
  const client = await context.client();
  const race = { remote, tree, node: null };
  const lanes = await createRemoteReader(client)(race);
  if (stopped !== undefined) {
    const { task, number } = remoteLane(lanes, stopped, remote);
    await client.call('sharing.task_stop', { remote, task });
    await context.out.write(`Stopped lane ${number}.\n`);
    return EXIT.ok;
  }
  remoteLane(lanes, '1', remote);
  if (context.screen.isTty && !context.json && lanes.some(isUnderWay))
    return follow(context, race, async () => undefined);
  await showBoard(context, async () => lanes).end();
  if (context.json) await context.printJson({ remote, tree, node: lanes[0]?.node ?? null, lanes });
  return EXIT.ok;
}
