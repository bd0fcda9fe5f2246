import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod';
import type { Client } from '../../hub/client/client.js';
import type { MethodSpec } from '../../hub/protocol/method.js';
import { METHODS } from '../../hub/protocol/methods/method_table.js';
import { NodeId, TreeId } from '../../hub/protocol/node.js';
import { connectTo, killHub, withFolder } from '../support/hub.js';
import { extent, randomFrom } from './extent.js';
import { changes, type HostileCall, hostileCalls, makeGround, type Names, snapshot, tryCall } from './paths.js';

/** Places where a person says what is to be read or written: a path there is meant. */
const MEANT: Record<string, RegExp> = {
  'loom.backup': /^path$/,
  'agent.run': /^transcript/,
  'agent.answer': /^transcript/,
  'bash.execute': /^command$/,
  'file.write': /^policy/,
  'file.edit': /^policy/,
  'file.read': /^policy/,
  'bash.open': /^policy/,
};
/** They end the hub, or what else is asked of it. */
const LEFT_OUT = ['health.stop'];

test('no string in any parameter of any method leads a file out of its place', { timeout: 1_200_000 }, () =>
  withFolder(async (folder) => {
    const ground = makeGround(folder);
    try {
      const client = await connectTo(ground.home);
      const { seed, count } = extent(400);
      const calls = chosen(await everyCall(client, ground), { seed, count });
      const before = snapshot(folder);
      const found: string[] = [];
      const kinds = new Map<string, number>();
      for (const call of calls) {
        const kind = await tryCall(() => callBriefly(client, call));
        kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
        const changed = changes(before, snapshot(folder));
        if (changed.length > 0) found.push(`${call.method} ${call.place.join('.')}: ${changed.join(', ')}`);
        if (changed.length > 0) break; // from here on every snapshot differs
      }
      console.log(`paths: tried ${calls.length}, failed ${found.length} (seed ${seed}; ${JSON.stringify([...kinds])})`);
      expect(found.join('\n')).toBe('');
      await client.close();
    } finally {
      await killHub(ground.home);
    }
  }),
);

test('a method that joins a string from outside to a folder of the home is found', () =>
  withFolder(async (folder) => {
    const ground = makeGround(folder);
    const params = z.strictObject({ session: z.string() });
    const closes = async ({ session }: z.infer<typeof params>): Promise<void> => {
      const path = join(ground.home, 'tmp', session);
      // Nothing of this machine is to be lost.
      if (path.startsWith(`${folder}/`)) rmSync(path, { recursive: true, force: true });
    };
    const names = { tree: '', node: '', session: '', sha256: '', work: ground.work };
    const before = snapshot(folder);
    for (const call of hostileCalls('bad.close', params, { names, ground })) {
      // Some are no names for the file system.
      await closes(params.parse(call.params)).catch(() => undefined);
    }
    expect(changes(before, snapshot(folder))).toContain('canary/file is gone');
  }));

async function everyCall(client: Client, ground: ReturnType<typeof makeGround>): Promise<HostileCall[]> {
  const names = await namesIn(client, ground.work);
  return Object.entries<MethodSpec>(METHODS)
    .filter(([method, { access }]) => access === 'client' && !LEFT_OUT.includes(method))
    .flatMap(([method, { params }]) => hostileCalls(method, params, { names, ground }))
    .filter(({ method, place }) => MEANT[method]?.test(place.join('.')) !== true)
    .map((call) => ({ ...call, params: contained(call.params, ground.work) }));
}

async function namesIn(client: Client, work: string): Promise<Names> {
  const tree = TreeId.parse(randomUUID());
  await client.call('loom.tree_create', { id: tree });
  const data = Buffer.from('an output').toString('base64');
  const { output } = await client.call('loom.blob_write', { upload: randomUUID(), offset: 0, data, done: true });
  const policy = { kind: 'contained' as const, network: false, writable: [work], readable: null };
  const { session } = await client.call('bash.open', { cwd: work, environment: null, policy });
  return { tree, node: NodeId.parse(tree), session, sha256: output?.sha256 ?? '', work };
}

/** What a call may touch is the folder to work in: a policy is not what is tried here. */
function contained(params: unknown, work: string): unknown {
  if (typeof params !== 'object' || params === null || !('policy' in params)) return params;
  return { ...params, policy: { kind: 'contained', network: false, writable: [work], readable: null } };
}

/** At least one call of each place, in an order of chance. */
function chosen(calls: HostileCall[], { seed, count }: { seed: number; count: number }): HostileCall[] {
  const random = randomFrom(seed);
  const mixed = calls.map((call) => ({ call, order: random() })).sort((a, b) => a.order - b.order);
  const seen = new Set<string>();
  const isFirst = ({ method, place }: HostileCall): boolean => {
    const key = `${method} ${place.join('.')}`;
    return !seen.has(key) && seen.add(key).size > 0;
  };
  const firsts = mixed.map(({ call }) => call).filter(isFirst);
  const others = mixed.map(({ call }) => call).filter((call) => !firsts.includes(call));
  return [...firsts, ...others].slice(0, count);
}

/** Calls a method; one that would go on is given up when the hub has answered something else. */
async function callBriefly(client: Client, { method, params }: HostileCall): Promise<unknown> {
  const abort = new AbortController();
  // Names and parameters come from the method table and its schemas.
  const answer = client.call(method as 'health.check', params as never, { signal: abort.signal });
  const settled = answer.catch(() => null);
  const isLasting = METHODS[method as 'health.check'].callerGone === 'cancel';
  if (isLasting) {
    await client.call('health.check', {});
    abort.abort();
  }
  await settled;
  return answer;
}
