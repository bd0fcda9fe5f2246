import { randomUUID } from 'node:crypto';
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HubError } from '../../../hub/base/error.js';
import type { Client } from '../../../hub/client/client.js';
import type { ToolAnswer } from '../../../hub/protocol/methods/tool_methods.js';
import { type NodeId, TreeId } from '../../../hub/protocol/node.js';
import type { Policy } from '../../../hub/protocol/policy.js';
import { type TestHub, withHub } from '../../support/hub.js';

export const OPEN: Policy = { kind: 'open' };

/** A real hub with its tools, and a folder to work in. */
export interface FileTools extends TestHub {
  /** The real path of a folder outside of the home. */
  folder: string;
  tree: TreeId;
  root: NodeId;
  /** A policy that lets only the folder be written. */
  contained: Policy;
  put(name: string, content: string | Uint8Array): Promise<string>;
}

export function withFileTools<T>(use: (tools: FileTools) => Promise<T>): Promise<T> {
  return withHub(async (hub) => {
    const below = join(dirname(hub.home), 'work');
    await mkdir(below);
    const folder = await realpath(below);
    const tree = TreeId.parse(randomUUID());
    const { root } = await newTree(hub.client, tree);
    const contained: Policy = { kind: 'contained', network: false, writable: [folder], readable: null };
    const put = async (name: string, content: string | Uint8Array): Promise<string> => {
      const path = join(folder, name);
      await writeFile(path, content);
      return path;
    };
    return use({ ...hub, folder, tree, root, contained, put });
  });
}

async function newTree(client: Client, tree: TreeId): Promise<{ root: NodeId }> {
  await client.call('loom.tree_create', { id: tree });
  const { nodes } = await client.call('loom.tree_get_skeleton', { tree });
  const [first] = nodes;
  if (first === undefined) throw new Error('a new tree has no root');
  return { root: first.id };
}

/** What a model is shown of an answer. */
export function textOf({ blocks }: ToolAnswer): string {
  return blocks.map((block) => (block.type === 'text' ? block.text : `<${block.type}>`)).join('\n');
}

export function factsOf({ external }: ToolAnswer): Record<string, unknown> {
  return { ...Object(external.handle.metadata) };
}

/** The HubError that a call is refused with; anything else fails the test. */
export async function refused(call: Promise<unknown>): Promise<HubError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof HubError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

/** The stored bytes of an answer. */
export async function storedOf(client: Client, { external }: ToolAnswer): Promise<Buffer> {
  if (external.output === null) return Buffer.alloc(0);
  const { sha256, size_bytes } = external.output;
  const pieces: Buffer[] = [];
  for (let offset = 0; offset < size_bytes; ) {
    const { data } = await client.call('loom.blob_read', { sha256, offset });
    pieces.push(Buffer.from(data, 'base64'));
    offset += pieces.at(-1)?.length ?? size_bytes;
  }
  return Buffer.concat(pieces);
}
