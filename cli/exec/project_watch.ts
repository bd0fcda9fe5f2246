import { detach } from '../../hub/base/detach.js';
import type { Node } from '../../hub/protocol/node.js';
import type { Policy } from '../../hub/protocol/policy.js';
import type { Context } from '../command_line/command_context.js';
import { reasonOf } from '../output/failure.js';
import { cleanLine } from '../render/text/clean.js';

/** Records what a command has made of the project's files, for its node; resolves with what is to be told. */
export async function recordFiles(context: Context, { tree, id: node }: Pick<Node, 'tree' | 'id'>): Promise<string[]> {
  const client = await context.client();
  const { told } = await client.call('files.snapshot', { project: context.project, tree, node });
  return told.map(toldLine);
}

/** Has the project's files recorded, and resolves when that has begun: this client may end. The next `filesSettled` tells of it. */
export async function beginRecording(context: Context, { tree, id: node }: Pick<Node, 'tree' | 'id'>): Promise<void> {
  const client = await context.client();
  const recorded = client.call('files.snapshot', { project: context.project, tree, node, tells: false });
  // Nobody is there any more who could be told.
  detach(recorded, () => undefined);
  // Calls begin in the order in which they are made.
  await client.call('health.check', {});
}

/** Waits for what is recorded of the project, so that it holds nothing that a next command does. */
export async function filesSettled(context: Context): Promise<string[]> {
  const client = await context.client();
  const { told } = await client.call('files.settle', { project: context.project });
  return told.map(toldLine);
}

const toldLine = (line: string): string => cleanLine(`(${line})`);

/** Watches what a contained command leaves in its project. What is returned takes over what it has committed, and tells. */
export async function watchProject(context: Context, policy: Policy): Promise<() => Promise<void>> {
  const project = policy.kind === 'contained' ? policy.writable[0] : undefined;
  if (project === undefined) return async () => undefined;
  const client = await context.client();
  const told = async (method: 'git.watch' | 'git.take_over'): Promise<string[]> =>
    client.call(method, { project }).then(
      (answer) => answer.told,
      (error: unknown) => [reasonOf(error)],
    );
  const before = await told('git.watch');
  return async () => {
    const lines = new Set([...before, ...(await told('git.take_over'))]);
    for (const line of lines) context.note(cleanLine(`(${line})`));
  };
}
