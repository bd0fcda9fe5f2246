import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Client } from '../../../hub/client/client.js';
import type { ParamsOf } from '../../../hub/protocol/methods/method_table.js';
import type { CommandEvent, ToolAnswer } from '../../../hub/protocol/methods/tool_methods.js';
import { NodeId, type TreeId } from '../../../hub/protocol/node.js';
import { type TestHub, withHub } from '../../support/hub.js';

type Options = Partial<Omit<ParamsOf<'bash.execute'>, 'command' | 'stream'>>;

/** A person's session with a tree to append to, in a folder of its own. */
export interface TestSession extends TestHub {
  session: string;
  folder: string;
  tree: TreeId;
  root: NodeId;
  /** Runs a command without a place. */
  run(command: string, options?: Options): Promise<ToolAnswer>;
  /** Runs a command and appends it after a node. */
  runAt(node: NodeId, command: string, options?: Options): Promise<ToolAnswer & { id: NodeId }>;
  /** Runs a command and returns the events that it emitted. */
  tell(command: string, options?: Options): Promise<{ events: CommandEvent[]; answer: ToolAnswer }>;
  /** The bytes that were stored of an answer. */
  stored(answer: ToolAnswer): Promise<Buffer>;
}

export const ENVIRONMENT = { PATH: process.env.PATH ?? '', HOME: '/nonexistent', LANG: 'C.UTF-8' };

/** Runs a test with a hub and a session of a person. */
export function withSession<T>(use: (session: TestSession) => Promise<T>): Promise<T> {
  return withHub(async (hub) => {
    const { client, home } = hub;
    const folder = join(dirname(home), 'work');
    mkdirSync(folder);
    const { id: tree } = await client.call('loom.tree_create', {});
    const opened = { cwd: folder, environment: ENVIRONMENT, umask: 0o022, policy: { kind: 'open' as const } };
    const { session } = await client.call('bash.open', opened);
    return use({
      ...hub,
      ...{ session, folder, tree, root: NodeId.parse(tree) },
      run: (command, options = {}) => client.call('bash.execute', { session, command, ...options }),
      async runAt(node, command, options = {}) {
        const id = NodeId.parse(options.id ?? newNodeId());
        const place = { tree, node };
        const answer = await client.call('bash.execute', { session, command, place, append: true, ...options, id });
        return { ...answer, id };
      },
      async tell(command, options = {}) {
        const events: CommandEvent[] = [];
        const onEvent = (event: CommandEvent): void => void events.push(event);
        const answer = await client.stream('bash.execute', { session, command, ...options }, { onEvent });
        return { events, answer };
      },
      stored: (answer) => storedOf(client, answer),
    });
  });
}

export function newNodeId(): NodeId {
  return NodeId.parse(randomUUID());
}

/** The text of an answer that a model sees. */
export function seen({ blocks }: ToolAnswer): string {
  return blocks.map((block) => (block.type === 'text' ? block.text : block.type)).join('|');
}

async function storedOf(client: Client, { external: { output } }: ToolAnswer): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let offset = 0; output !== null && offset < output.size_bytes; offset += pieces.at(-1)?.length ?? 0) {
    const { data } = await client.call('loom.blob_read', { sha256: output.sha256, offset });
    pieces.push(Buffer.from(data, 'base64'));
  }
  return Buffer.concat(pieces);
}
