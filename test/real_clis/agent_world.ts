import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Client } from '../../hub/client/client.js';
import type { ParamsOf, ResultOf } from '../../hub/protocol/methods/method_table.js';
import { NodeId } from '../../hub/protocol/node.js';
import type { ExchangeEvent } from '../../hub/protocol/outside_agent.js';
import { connectTo, killHub } from '../support/hub.js';
import { type LoopbackModels, openLoopbackModels } from './loopback_models.js';
import type { RealProgram } from './real_programs.js';

/** opencode tells a refusal of its model only after six tries, and takes long to start on a busy machine. */
const EXCHANGE_MS_MAX = 240_000;

type Options = Partial<ParamsOf<'outside.run'>> & {
  onEvent?(event: ExchangeEvent): void;
  signal?: AbortSignal;
};

export interface Answered extends ResultOf<'outside.run'> {
  events: ExchangeEvent[];
  /** Where the next message goes. */
  tip: NodeId;
}

/** A hub, a project and a model server for one program. */
export interface AgentWorld {
  program: RealProgram;
  models: LoopbackModels;
  home: string;
  project: string;
  bin: string;
  environment: Record<string, string>;
  client(): Promise<Client>;
  newTree(): Promise<NodeId>;
  /** Says something below a node and lets the agent answer it. */
  ask(said: readonly [parent: NodeId, text: string], options?: Options): Promise<Answered>;
  /** Ends the hub as a power cut would. */
  kill(): Promise<void>;
  close(): Promise<void>;
}

export async function openWorld(program: RealProgram, bin: string): Promise<AgentWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'cognition-real-'));
  const [home, project] = [join(folder, 'home'), join(folder, 'project')];
  mkdirSync(project);
  const models = await openLoopbackModels();
  for (const [name, text] of Object.entries(program.files(models.origin))) {
    const path = join(home, 'agents', program.name, 'home', name);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, text);
  }
  const PATH = [bin, dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':');
  const environment = { PATH, ...program.environment(models.origin) };
  let open: Client | null = null;
  const client = async (): Promise<Client> => {
    open ??= await connectTo(home);
    return open;
  };
  const leave = async (): Promise<void> => {
    await open?.close();
    open = null;
  };
  return {
    ...{ program, models, home, project, bin, environment, client },
    async newTree() {
      const { id } = await (await client()).call('loom.tree_create', { project });
      const root = NodeId.parse(id);
      return root;
    },
    ask: async (said, options = {}) =>
      askAgent({ client: await client(), environment, project, program, said }, options),
    async kill() {
      await killHub(home);
      await leave();
    },
    async close() {
      await leave();
      await killHub(home).catch(() => undefined);
      await models.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    },
  };
}

interface Asking {
  client: Client;
  environment: Record<string, string>;
  project: string;
  program: RealProgram;
  said: readonly [parent: NodeId, text: string];
}

async function askAgent(
  { client, environment, project, program, said: [parent, text] }: Asking,
  { onEvent, signal, ...options }: Options,
): Promise<Answered> {
  const { node: above } = await client.call('loom.node_get', { node: parent });
  const { tree } = above;
  const said = { tree, parent, role: 'user' as const, blocks: [{ type: 'text' as const, text }] };
  const { node } = await client.call('loom.node_create_text', said);
  const events: ExchangeEvent[] = [];
  const id = NodeId.parse(randomUUID());
  const take = (event: ExchangeEvent): void => {
    events.push(event);
    onEvent?.(event);
  };
  const result = await client.stream(
    'outside.run',
    {
      ...{ id, place: { tree, node: node.id }, agent: program.name, model: program.model, level: 'minimal' },
      ...{ cwd: project, project, environment, time_ms: EXCHANGE_MS_MAX },
      policy: { kind: 'contained', network: false, writable: [project], readable: null },
      ...options,
    },
    signal === undefined ? { onEvent: take } : { onEvent: take, signal },
  );
  if (result.text === '') return { ...result, events, tip: id };
  const answer = {
    tree,
    parent: id,
    role: 'assistant' as const,
    blocks: [{ type: 'text' as const, text: result.text }],
  };
  return { ...result, events, tip: (await client.call('loom.node_create_text', answer)).node.id };
}
