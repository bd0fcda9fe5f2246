import { HubError } from '../../hub/error.js';
import { reachOf } from './means.js';
import type { Repl } from './repl.js';

/** Says what a person wants to know before they begin: who answers, and what that may do. The prompt does not wait for it. */
export async function showHeader(repl: Repl): Promise<void> {
  const lines = await Promise.all([modelLine(repl), sandboxLine(repl)]);
  const text = [...lines, 'Commands: /help'].join('\n');
  await repl.front.show({ kind: 'note', text });
}

async function modelLine({ client, conversation, means, front }: Repl): Promise<string> {
  const here = conversation();
  const node = here.isMade() ? here.place.position() : null;
  try {
    const { model } = await client.call('agent.check', { node, ...reachOf(means) });
    front.update({ model });
    return `Model: ${model}`;
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    return 'Model: none, so messages are notes.\n  Set ANTHROPIC_API_KEY or OPENAI_API_KEY, or try: /model demo';
  }
}

async function sandboxLine({ client, means }: Repl): Promise<string> {
  const { network, unsandboxed } = means.grants;
  if (unsandboxed) return 'Sandbox: off. The commands of the model run as in your own shell.';
  const { sandbox } = await client.call('tools.check', {});
  if (sandbox.kind === 'none') {
    const why = sandbox.problem === null ? '' : ` (${sandbox.problem})`;
    return `Sandbox: none works here${why}, so commands of a model are refused. ${sandbox.hint ?? ''}`.trimEnd();
  }
  return `Sandbox: ${sandbox.kind}; it may change this project, network ${network ? 'on' : 'off'}`;
}
