import { randomUUID } from 'node:crypto';
import { mkdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Client } from '../../hub/client/client.js';
import type { ParamsOf } from '../../hub/protocol/methods/method_table.js';
import { type Node, NodeId, type Settings, TreeId, TurnId } from '../../hub/protocol/node.js';
import type { AgentEvent, TurnOutcome } from '../../hub/protocol/turn.js';
import { type TestHub, withHub } from './hub.js';
import { KEY, type ModelServer, withModelServer } from './model_server.js';

const ANTHROPIC_MODEL = 'anthropic/claude-sonnet-5';

type RunOptions = Partial<ParamsOf<'agent.run'>>;

/** A running turn: its events so far, and its end. */
export interface TestTurn {
  id: TurnId;
  events: AgentEvent[];
  outcome: Promise<TurnOutcome>;
  /** Resolves after that many events, or at its end. */
  heard(count: number): Promise<void>;
  /** Resolves with the first matching event, earlier ones included. */
  event<K extends AgentEvent['kind']>(
    kind: K,
    fits?: (event: Extract<AgentEvent, { kind: K }>) => boolean,
  ): Promise<Extract<AgentEvent, { kind: K }>>;
}

/** A real hub, a model server beside it, and a tree whose project is a folder of its own. */
export interface TestAgent {
  hub: TestHub;
  client: Client;
  server: ModelServer;
  tree: TreeId;
  project: string;
  /** Appends a user message. */
  say(text: string, parent?: NodeId): Promise<NodeId>;
  begin(node: NodeId, options?: RunOptions): TestTurn;
  /** Runs a turn to its end. */
  run(node: NodeId, options?: RunOptions): Promise<TurnOutcome>;
  path(node: NodeId): Promise<Node[]>;
  settingsAt(node: NodeId): Promise<Settings>;
}

export function withAgent<T>(use: (agent: TestAgent) => Promise<T>): Promise<T> {
  return withModelServer((server) => withHub((hub) => openAgent(hub, server).then(use)));
}

/** The agent of a hub, on a new tree. */
async function openAgent(hub: TestHub, server: ModelServer): Promise<TestAgent> {
  const { client } = hub;
  const folder = join(dirname(hub.home), 'project');
  mkdirSync(folder, { recursive: true });
  const project = realpathSync(folder);
  const tree = TreeId.parse(randomUUID());
  await client.call('loom.tree_create', { id: tree, project });
  const path = async (node: NodeId) => (await client.call('loom.context_get_path', { node })).nodes;
  const begin: TestAgent['begin'] = (node, options = {}) =>
    beginTurn(client, {
      ...{ tree, node, cwd: project, change: { model: ANTHROPIC_MODEL }, access: accessTo(server) },
      ...options,
    });
  return {
    ...{ hub, client, server, tree, project, begin, path },
    run: (node, options) => begin(node, options).outcome,
    async say(text, parent = NodeId.parse(tree)) {
      const { node } = await client.call('loom.node_create_text', {
        ...{ tree, parent, role: 'user', blocks: [{ type: 'text', text }] },
      });
      return node.id;
    },
    async settingsAt(node) {
      const sha256 = (await path(node)).findLast(({ settings }) => settings !== null)?.settings;
      if (sha256 == null) throw new Error('the path has no settings');
      return (await client.call('loom.settings_get', { sha256 })).settings;
    },
  };
}

/** The access to a server, as from a person's environment. */
export function accessTo(server: ModelServer): ParamsOf<'agent.run'>['access'] {
  return { anthropic: { base_url: server.origin, key: KEY }, openai: { base_url: server.openaiUrl, key: KEY } };
}

/** Starts a turn and collects its events. */
export function beginTurn(client: Client, params: ParamsOf<'agent.run'>): TestTurn {
  const id = params.id === undefined ? TurnId.parse(randomUUID()) : TurnId.parse(params.id);
  const events: AgentEvent[] = [];
  const waiting = new Set<() => void>();
  const outcome = client.stream(
    'agent.run',
    { ...params, id },
    {
      onEvent(event) {
        events.push(event);
        for (const look of waiting) look();
      },
    },
  );
  return {
    ...{ id, events, outcome },
    heard: (count) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (events.length < count) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
        outcome.then(
          () => resolve(),
          () => resolve(),
        );
      }),
    event: (kind, fits = () => true) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          for (const event of events) {
            if (!isOfKind(event, kind) || !fits(event)) continue;
            waiting.delete(look);
            resolve(event);
            return;
          }
        };
        waiting.add(look);
        look();
        outcome.then(
          () => reject(new Error(`the turn ended without ${kind}`)),
          (error: unknown) => reject(error),
        );
      }),
  };
}

function isOfKind<K extends AgentEvent['kind']>(event: AgentEvent, kind: K): event is Extract<AgentEvent, { kind: K }> {
  return event.kind === kind;
}

/** The nodes as lines: role and text. */
export function told(nodes: readonly Node[]): string[] {
  return nodes.map((node) => {
    const text = node.blocks.map((block) => ('text' in block ? block.text : `<${block.type}>`)).join('|');
    return `${node.kind === 'external' ? node.external.call.tool : node.role}: ${text}`;
  });
}
