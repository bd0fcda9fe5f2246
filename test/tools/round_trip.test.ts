import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Client } from '../../hub/client/client.js';
import { homePaths } from '../../hub/config/config.js';
import { NodeId } from '../../hub/protocol/node.js';
import { connectTo, killHub, withHome } from '../support/hub.js';

interface Case {
  name: string;
  command: string;
  /** The expected bytes; null when the result is compared with itself only. */
  bytes: Buffer | null;
  timeoutMs: number | null;
  ends: { exit_code: number | null; signal: string | null };
}

const EVERY_BYTE = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
const LARGE = Buffer.alloc(100_000_000, 'every line of this is the same\n');

const CASES: Case[] = [
  {
    ...{ name: 'text', command: "printf 'grüße\\r\\n数据\\t\\033[31mred\\033[0m'", timeoutMs: null },
    ...{ bytes: Buffer.from('grüße\r\n数据\t\x1b[31mred\x1b[0m'), ends: { exit_code: 0, signal: null } },
  },
  {
    ...{
      name: 'binary',
      command: 'for i in {0..255}; do printf "\\\\x$(printf %02x $i)"; done; exit 3',
      timeoutMs: null,
    },
    ...{ bytes: EVERY_BYTE, ends: { exit_code: 3, signal: null } },
  },
  {
    ...{ name: '100 MB', command: "yes 'every line of this is the same' | head -c 100000000", timeoutMs: null },
    ...{ bytes: LARGE, ends: { exit_code: 0, signal: null } },
  },
  { name: 'empty', command: ':', timeoutMs: null, bytes: Buffer.alloc(0), ends: { exit_code: 0, signal: null } },
  {
    ...{ name: 'killed', command: 'echo before; kill -KILL $$; echo after', timeoutMs: null },
    ...{ bytes: Buffer.from('before\n'), ends: { exit_code: null, signal: 'SIGKILL' } },
  },
  {
    ...{ name: 'timed out', command: "trap '' TERM; echo started; while :; do sleep 1; done", timeoutMs: 300 },
    ...{ bytes: Buffer.from('started\n'), ends: { exit_code: null, signal: 'SIGKILL' } },
  },
];

async function storedBytes(client: Client, node: NodeId): Promise<Buffer> {
  const { node: found } = await client.call('loom.node_get', { node });
  if (found.kind !== 'external' || found.external.output === null) return Buffer.alloc(0);
  const { sha256, size_bytes: sizeBytes } = found.external.output;
  const pieces: Buffer[] = [];
  for (let offset = 0; offset < sizeBytes; offset += pieces.at(-1)?.length ?? 1) {
    pieces.push(Buffer.from((await client.call('loom.blob_read', { sha256, offset })).data, 'base64'));
  }
  return Buffer.concat(pieces);
}

const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Everything visible of a branch. */
async function seen(client: Client, node: NodeId): Promise<object> {
  return {
    bytes: digest(await storedBytes(client, node)),
    reader: await client.call('context.render', { node }),
    model: await client.call('context.model', { node }),
    resolved: await client.call('context.resolve', { node, bytes_max: 4_096 }),
    hash: (await client.call('loom.node_get', { node })).node.hash,
  };
}

test.each(CASES)('the output of a command is the same after everything was restarted: $name', async (one) => {
  await withHome(async (home) => {
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(homePaths(home).config, 'output.megabytes_max = 120\n', { mode: 0o600 });
    const first = await connectTo(home);
    const { id: tree } = await first.call('loom.tree_create', {});
    const environment = { PATH: process.env.PATH ?? '', LANG: 'C.UTF-8' };
    const { session } = await first.call('bash.open', { cwd: '/', environment, policy: { kind: 'open' } });
    const place = { tree, node: NodeId.parse(tree) };
    const { command, timeoutMs } = one;
    const answer = await first.call('bash.execute', { session, command, place, append: true, timeout_ms: timeoutMs });
    const node = NodeId.parse(answer.node?.id);
    expect(answer.external).toMatchObject(one.ends);
    if (one.bytes !== null) expect(digest(await storedBytes(first, node))).toBe(digest(one.bytes));
    const before = await seen(first, node);
    await first.close();
    await killHub(home);
    const second = await connectTo(home);
    expect(await seen(second, node)).toEqual(before);
    expect(await second.call('loom.fsck', {})).toMatchObject({ problem_count: 0 });
    await second.close();
  });
});
