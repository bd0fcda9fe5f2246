import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { HubError } from '../../hub/base/error.js';
import type { Client } from '../../hub/client/client.js';
import { NodeId, TreeId } from '../../hub/protocol/node.js';
import { connectTo, HUB_ENTRY, killHub, withFolder } from '../support/hub.js';
import { canMount, mountDisk, tries, unmount } from '../support/mounts.js';
import { start } from './processes.js';

const DISK_MIB = 6;
const BALLAST_BYTES = 2 * 1024 * 1024;
const MESSAGE_CHARACTERS = 60_000;
/** More bytes than the disk holds. */
const MESSAGES_MAX = (DISK_MIB * 1024 * 1024) / MESSAGE_CHARACTERS;

const canCompile = process.platform === 'linux' && tries('cc', ['--version']);

/** Appends below the root until an append is refused; returns the acknowledged nodes and the refusal. */
async function fill(client: Client, tree: TreeId): Promise<{ acknowledged: NodeId[]; refusal: HubError | null }> {
  const acknowledged: NodeId[] = [];
  for (let number = 0; number < MESSAGES_MAX; number++) {
    const refusal = await append(client, tree, acknowledged);
    if (refusal !== null) return { acknowledged, refusal };
  }
  return { acknowledged, refusal: null };
}

async function append(client: Client, tree: TreeId, acknowledged: NodeId[]): Promise<HubError | null> {
  const text = 'x'.repeat(MESSAGE_CHARACTERS);
  const parent = NodeId.parse(tree);
  try {
    const { node } = await client.call('loom.node_create_text', {
      tree,
      parent,
      role: 'user',
      blocks: [{ type: 'text', text }],
    });
    acknowledged.push(node.id);
    return null;
  } catch (error) {
    if (error instanceof HubError) return error; // what this test is about
    throw error;
  }
}

async function stored(client: Client, tree: TreeId): Promise<NodeId[]> {
  const nodes: NodeId[] = [];
  for await (const node of client.pages('loom.tree_get_skeleton', { tree }, 'nodes'))
    if (node.role !== 'root') nodes.push(node.id);
  return nodes;
}

test.runIf(canMount)(
  'a full disk refuses what does not fit, keeps what it acknowledged and works again when there is room',
  () =>
    withFolder(async (folder) => {
      mountDisk(folder, `${DISK_MIB}m`);
      const home = join(folder, 'home');
      try {
        await writeFile(join(folder, 'ballast'), Buffer.alloc(BALLAST_BYTES));
        const client = await connectTo(home);
        const tree = TreeId.parse(randomUUID());
        await client.call('loom.tree_create', { id: tree });
        const { acknowledged, refusal } = await fill(client, tree);
        expect(refusal).toMatchObject({ kind: 'disk_full', retryable: true, hint: 'make room and try again' });
        expect(await stored(client, tree)).toEqual(acknowledged);

        await rm(join(folder, 'ballast'));
        expect(await append(client, tree, acknowledged)).toBeNull();
        expect(await stored(client, tree)).toEqual(acknowledged);
        expect(await client.call('loom.fsck', { tree })).toMatchObject({ problems: [] });
        await client.close();
      } finally {
        await killHub(home);
        unmount(folder);
      }
    }),
);

test.runIf(canCompile)(
  'after a failed fsync nothing is written until the hub is restarted, and nothing acknowledged is lost',
  () =>
    withFolder(async (folder) => {
      const failing = join(folder, 'fails');
      const home = join(folder, 'home');
      const env = { ...process.env, LD_PRELOAD: compileShim(folder), FSYNC_FAILS: failing };
      const hub = start(HUB_ENTRY, [home], { env });
      await hub.says('is ready');
      const client = await connectTo(home);
      const tree = TreeId.parse(randomUUID());
      await client.call('loom.tree_create', { id: tree });
      const acknowledged: NodeId[] = [];
      expect(await append(client, tree, acknowledged)).toBeNull();

      await writeFile(failing, '');
      expect(await append(client, tree, acknowledged)).toMatchObject({ kind: 'storage_failed' });
      await rm(failing);
      expect(await append(client, tree, acknowledged)).toMatchObject({ kind: 'storage_failed' });
      expect(await client.call('health.check', {})).toMatchObject({ status: 'read_only' });
      expect(await stored(client, tree)).toEqual(acknowledged);

      hub.child.kill('SIGKILL');
      await hub.ended;
      expect(await append(client, tree, acknowledged)).toBeNull();
      const kept = await stored(client, tree);
      await client.close();
      await killHub(home);
      expect(kept).toEqual(expect.arrayContaining(acknowledged));
    }),
);

function compileShim(folder: string): string {
  const shim = join(folder, 'failing_fsync.so');
  const source = fileURLToPath(new URL('failing_fsync.c', import.meta.url));
  execFileSync('cc', ['-shared', '-fPIC', '-o', shim, source, '-ldl']);
  return shim;
}
