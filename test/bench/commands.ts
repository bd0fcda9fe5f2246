import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '../../hub/client/client.js';
import { NodeId } from '../../hub/protocol/node.js';
import type { Policy } from '../../hub/protocol/policy.js';
import { findSandbox } from '../../tools/sandbox/forms/sandbox.js';
import { connectTo, withHome } from '../support/hub.js';
import { median, type Row } from './row.js';
import { newTree } from './trees.js';

const ROUNDS = 101;

/** The cost of a command through an open client, compared with a bare shell. */
export function commandRows(): Promise<Row[]> {
  return withHome(async (home) => {
    const client = await connectTo(home);
    const { sandbox } = await client.call('tools.check', {});
    const rows: (Row | null)[] = [
      await overheadRow(client, { what: 'exec true as a person', contained: null, most: 4 }),
    ];
    if (sandbox.kind !== 'none') {
      const what = `exec true in the sandbox (${sandbox.kind})`;
      rows.push(await overheadRow(client, { what, contained: home, most: 10 }));
    }
    await client.close();
    rows.push(await formRow(home, 'bubblewrap', 10), await formRow(home, 'util-linux', 15));
    return rows.filter((row) => row !== null);
  });
}

/** The cost of one form of the sandbox, the filter of system calls included; null where it does not hold. */
async function formRow(home: string, kind: 'bubblewrap' | 'util-linux', most: number): Promise<Row | null> {
  const [project, tmp] = [join(home, 'tmp/project'), join(home, 'tmp/own')];
  for (const path of [project, tmp]) mkdirSync(path, { recursive: true });
  const machine = { userHome: homedir(), cognitionHome: home, commands: join(home, 'commands'), path: '' };
  const sandbox = findSandbox({ machine, log: () => undefined }, { only: kind });
  if ((await sandbox.report()).kind !== kind) return null;
  const policy: Policy = { kind: 'contained', network: false, writable: [project], readable: null };
  const [bareMs, ownMs]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS + 5; round++) {
    const bare = timed(() => void spawnSync('bash', ['-c', 'true']));
    const startedAt = performance.now();
    const command = { program: 'bash', arguments: ['-c', 'true'], opensFilter: true };
    const wrapped = await sandbox.wrap({ ...command, policy, cwd: project, tmp });
    const filter = wrapped.filter === undefined ? null : openSync(wrapped.filter, 'r');
    const { status } = spawnSync(wrapped.program, wrapped.arguments, {
      stdio: ['ignore', 'pipe', 'pipe', 'ignore', ...(filter === null ? [] : [filter])],
    });
    if (filter !== null) closeSync(filter);
    wrapped.release();
    if (status !== 0) throw new Error(`${kind} ends with ${status}`);
    if (round < 5) continue;
    bareMs.push(bare);
    ownMs.push(performance.now() - startedAt);
  }
  const [base, mine] = [median(bareMs), median(ownMs)];
  const from = `${mine.toFixed(1)} ms / ${base.toFixed(1)} ms for bash -c true; with its mounts and the filter`;
  return { what: `bash -c true in ${kind}`, value: mine - base, unit: 'ms', budget: { most }, from };
}

interface Measured {
  what: string;
  /** The folder that a contained command may write; null for a person's command. */
  contained: string | null;
  most: number;
}

async function overheadRow(client: Client, { what, contained, most }: Measured): Promise<Row> {
  const tree = await newTree(client);
  const cwd = contained === null ? '/' : '/usr';
  const policy: Policy =
    contained === null
      ? { kind: 'open' }
      : { kind: 'contained', network: false, writable: [contained], readable: null };
  const { session } = await client.call('bash.open', { cwd, environment: null, policy });
  const bareMs: number[] = [];
  const ownMs: number[] = [];
  let parent = NodeId.parse(tree);
  // Alternating, so that both run under the same load. The first rounds are warm-up.
  for (let round = 0; round < ROUNDS + 5; round++) {
    const bare = timed(() => void spawnSync('bash', ['-c', 'true']));
    const startedAt = performance.now();
    const { node } = await client.call('bash.execute', {
      ...{ session, command: 'true', append: true, place: { tree, node: parent } },
    });
    const own = performance.now() - startedAt;
    parent = node?.id ?? parent;
    if (round < 5) continue;
    bareMs.push(bare);
    ownMs.push(own);
  }
  const [base, mine] = [median(bareMs), median(ownMs)];
  const from = `${mine.toFixed(1)} ms / ${base.toFixed(1)} ms for bash -c true; with its node on the disk`;
  return { what, value: mine - base, unit: 'ms', budget: { most }, from };
}

function timed(run: () => void): number {
  const startedAt = performance.now();
  run();
  return performance.now() - startedAt;
}
