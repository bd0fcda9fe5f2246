import type { Part } from '../../../support/model/script.js';
import { say } from '../../../support/model/script.js';
import { type TestAgent, type TestTurn, told } from '../../../support/turns.js';
import { call, words } from '../turn/turn_calls.js';

/** A call for a sub-session. */
export const spawn = (id: string, input: object): Part => call(id, 'spawn_session', input);

type NodeOf = Awaited<ReturnType<TestAgent['path']>>[number];

/** The nodes of calls on a path. */
export async function results(
  { path }: TestAgent,
  tip: NodeOf['id'],
): Promise<Extract<NodeOf, { kind: 'external' }>[]> {
  return (await path(tip)).flatMap((node) => (node.kind === 'external' ? [node] : []));
}

/** The trees that nodes of this tree own. */
export async function ownedBy({ client, tree }: TestAgent) {
  return (await client.call('loom.tree_list', { owner: tree })).trees;
}

/** The newest turn of a tree. */
export async function newestTurn({ client }: TestAgent, tree: TestAgent['tree']) {
  const [turn] = (await client.call('loom.turn_list', { tree })).turns;
  if (turn === undefined) throw new Error('no turn has begun there');
  return turn;
}

/** What a call printed while it ran. */
export function printed({ events }: TestTurn, id: string): string {
  const pieces = events.flatMap((event) => (event.kind === 'call_output' && event.call === id ? [event] : []));
  return Buffer.concat(pieces.map(({ data }) => Buffer.from(data, 'base64'))).toString();
}

/** Lets a model make one step of calls, and returns what they came to, as the model is told it. */
export async function resultsOf(agent: TestAgent, calls: Part[], options: Parameters<TestAgent['run']>[1] = {}) {
  agent.server.script(say(...calls), say(words('Done.')));
  const outcome = await agent.run(await agent.say('do it'), options);
  const nodes = (await results(agent, outcome.tip)).slice(-calls.length);
  return { outcome, nodes, texts: told(nodes).map((text) => text.replace(/^\w+: /, '')) };
}
