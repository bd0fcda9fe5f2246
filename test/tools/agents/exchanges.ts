import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ParamsOf, ResultOf } from '../../../hub/protocol/methods/method_table.js';
import { NodeId, type TreeId } from '../../../hub/protocol/node.js';
import type { ExchangeEvent } from '../../../hub/protocol/outside_agent.js';
import { agentBin, pathWith } from '../../support/agents/agent_bin.js';
import { type TestHub, withHub } from '../../support/hub.js';

type Options = Partial<ParamsOf<'outside.run'>> & { onEvent?(event: ExchangeEvent): void; signal?: AbortSignal };

/** What is said, and below which node. */
type Said = readonly [parent: NodeId, text: string];

export interface Exchanged extends ResultOf<'outside.run'> {
  events: ExchangeEvent[];
  id: NodeId;
  /** Where the next one goes on: at the answer, else at what was done. */
  tip: NodeId;
}

/** A hub with a tree, a project, and programs that stand for those of agents. */
export interface AgentWorld extends TestHub {
  tree: TreeId;
  root: NodeId;
  project: string;
  bin: string;
  /** Appends what a person says. */
  say(parent: NodeId, text: string): Promise<NodeId>;
  /** Says something below a node and has an agent answer it; the answer is appended. */
  exchange(agent: string, said: Said, options?: Options): Promise<Exchanged>;
}

export function withAgents<T>(use: (world: AgentWorld) => Promise<T>): Promise<T> {
  return withHub(async (hub) => {
    const { client, home } = hub;
    const project = join(dirname(home), 'project');
    mkdirSync(project);
    const bin = agentBin('claude', 'codex');
    const { id: tree } = await client.call('loom.tree_create', { project });
    const say = async (parent: NodeId, text: string): Promise<NodeId> => {
      const blocks = [{ type: 'text' as const, text }];
      return (await client.call('loom.node_create_text', { tree, parent, role: 'user', blocks })).node.id;
    };
    return use({
      ...hub,
      ...{ tree, root: NodeId.parse(tree), project, bin, say },
      async exchange(agent, [parent, text], { onEvent, signal, ...options } = {}) {
        const node = await say(parent, text);
        const events: ExchangeEvent[] = [];
        const id = NodeId.parse(randomUUID());
        const params = {
          ...{ id, place: { tree, node }, agent, level: 'minimal' as const, cwd: project, project },
          policy: { kind: 'contained' as const, network: false, writable: [project], readable: null },
          environment: { PATH: pathWith(bin) },
          ...options,
        };
        const take = (event: ExchangeEvent): void => {
          events.push(event);
          onEvent?.(event);
        };
        const streaming = signal === undefined ? { onEvent: take } : { onEvent: take, signal };
        const result = await client.stream('outside.run', params, streaming);
        const blocks = [{ type: 'text' as const, text: result.text }];
        const answer = { tree, parent: id, role: 'assistant' as const, blocks };
        const tip = result.text === '' ? id : (await client.call('loom.node_create_text', answer)).node.id;
        return { ...result, events, id, tip };
      },
    });
  });
}
