import { randomUUID } from 'node:crypto';
import { homePaths } from '../../../hub/config/config.js';
import type { ParamsOf } from '../../../hub/protocol/methods/method_table.js';
import { type External, NodeId, type Output, TreeId } from '../../../hub/protocol/node.js';
import { type TestHub, withHub } from '../../support/hub.js';
import { ran, text } from '../../support/trees.js';

type Blocks = ParamsOf<'loom.node_create_text'>['blocks'];

/** One branch that grows at its end. */
export function withBranch(use: (tree: Branch) => Promise<void>): Promise<void> {
  return withHub(async (hub) => {
    const { id } = await hub.client.call('loom.tree_create', { id: TreeId.parse(randomUUID()) });
    await use(branchOf(hub, id));
  });
}

type Branch = ReturnType<typeof branchOf>;

type Printed = Record<string, string | null>;
type Stored = (content: string | Buffer) => Promise<{ output: Output | null }>;

/** The calls of a step, and what they came to: commands with what they printed, or null for an interrupted one. */
async function partsOfStep(commands: Printed, output: Stored) {
  const callBlocks = Object.keys(commands).map((command, at) => ({
    ...{ type: 'call' as const, id: `call-${at}`, tool: 'bash', input: { command } },
  }));
  const ended = async ([command, printed]: [string, string | null], at: number): Promise<External> => {
    const external = ran(command, `call-${at}`);
    if (printed !== null) return { ...external, ...(await output(printed)) };
    return { ...external, handle: { ...external.handle, source: 'interrupted' }, exit_code: null };
  };
  const results = await Promise.all(Object.entries(commands).map(ended));
  return { callBlocks, calls: results.map((external) => ({ blocks: text('shown then'), external })) };
}

function branchOf(hub: TestHub, tree: TreeId) {
  let node: NodeId = NodeId.parse(tree);
  const { client } = hub;
  const place = () => ({ tree, parent: node, id: NodeId.parse(randomUUID()) });
  const message = (said: string) => ({ role: 'user' as const, blocks: text(said) });
  async function output(content: string | Buffer): Promise<{ output: Output | null }> {
    const data = Buffer.from(content).toString('base64');
    return client.call('loom.blob_write', { upload: randomUUID(), offset: 0, data, done: true });
  }
  return {
    hub,
    output,
    outputs: homePaths(hub.home).outputs,
    at: () => ({ hub, node }),
    resolve: (id: NodeId, params: Partial<ParamsOf<'context.resolve'>> = {}) =>
      client.call('context.resolve', { ...params, node: id }),
    render: (params: Partial<ParamsOf<'context.render'>> = {}) => client.call('context.render', { node, ...params }),
    model: (id: NodeId = node) => client.call('context.model', { node: id }),
    async say(role: 'user' | 'assistant' | 'summary', said: string): Promise<NodeId> {
      const made = await client.call('loom.node_create_text', { ...place(), role, blocks: text(said) });
      node = made.node.id;
      return node;
    },
    async sayMany(count: number): Promise<void> {
      const made: Promise<unknown>[] = [];
      for (let number = 0; number < count; number += 1) {
        const next = place();
        made.push(client.call('loom.node_create_text', { ...next, ...message(`message ${number}`) }));
        node = next.id;
        if (made.length === 200) await Promise.all(made.splice(0));
      }
      await Promise.all(made);
    },
    async external(facts: Partial<External>): Promise<NodeId> {
      const external = { ...ran('ls'), ...facts, output: facts.output ?? null };
      const made = await client.call('loom.node_create_external', { ...place(), blocks: text('shown then'), external });
      node = made.node.id;
      return node;
    },
    /** Commands with what they printed; null for one that was interrupted. */
    async step(blocks: Blocks, commands: Printed, settings: ParamsOf<'loom.step_create'>['settings'] = null) {
      const { callBlocks, calls } = await partsOfStep(commands, output);
      const made = await client.call('loom.step_create', {
        ...place(),
        blocks: [...blocks, ...callBlocks],
        settings,
        calls,
      });
      node = made.nodes.at(-1)?.id ?? node;
      return made;
    },
  };
}
