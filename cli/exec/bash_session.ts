import { createHash } from 'node:crypto';
import { wholeEnvironment } from '../../hub/config/config.js';
import type { ParamsOf } from '../../hub/protocol/methods/method_table.js';
import type { Tree } from '../../hub/protocol/node.js';
import type { Policy } from '../../hub/protocol/policy.js';
import type { Context } from '../command_line/command_context.js';

/** Opens the bash session for the commands of a tree under a policy, and returns its name. */
export async function openShell(
  context: Context,
  { tree, policy }: { tree: Pick<Tree, 'id'>; policy: Policy },
): Promise<string> {
  const client = await context.client();
  const opening = openingFor(policy);
  const session = sessionName(tree.id, opening);
  await client.call('bash.open', { ...opening, session });
  return session;
}

type Opening = Omit<ParamsOf<'bash.open'>, 'session'>;

/** The environment of this terminal; in a sandbox the tools pass on only what a model's command gets. */
function openingFor(policy: Policy): Opening {
  return { cwd: process.cwd(), environment: wholeEnvironment(), umask: process.umask(), policy };
}

/**
 * The same folder and environment have the same session. Two terminals on one tree with different environments have two,
 * or one would see what the other has set. In a sandbox a session has a /tmp, which persists from command to command.
 */
function sessionName(tree: string, { policy, umask, cwd, environment }: Opening): string {
  const surroundings = policy.kind === 'open' ? [cwd, environment] : [];
  const digest = createHash('sha256')
    .update(JSON.stringify([tree, policy, umask, surroundings]))
    .digest('hex');
  return `session-${digest.slice(0, 32)}`;
}
