import type { Node } from '../../hub/protocol/node.js';
import type { Policy } from '../../hub/protocol/policy.js';
import type { Context } from '../command_line/command_context.js';
import { reasonOf } from '../output/failure.js';
import { cleanLine } from '../render/text/clean.js';

/** Records what a command has made of the project's files, for its node. */
export async function recordFiles(context: Context, { tree, id: node }: Pick<Node, 'tree' | 'id'>): Promise<string[]> {
  const client = await context.client();
  const { told } = await client.call('files.snapshot', { project: context.project, tree, node });
  return told.map((line) => cleanLine(`(${line})`));
}

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
