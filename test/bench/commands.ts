import { spawnSync } from 'node:child_process';
import type { Client } from '../../hub/client/client.js';
import { NodeId } from '../../hub/protocol/node.js';
import type { Policy } from '../../hub/protocol/policy.js';
import { connectTo, withHome } from '../support/hub.js';
import { median, type Row } from './row.js';
import { newTree } from './trees.js';

const ROUNDS = 101;

/** The cost of a command through an open client, compared with a bare shell. */
export function commandRows(): Promise<Row[]> {
  return withHome(async (home) => {
    const client = await connectTo(home);
    const { sandbox } = await client.call('tools.check', {});
    const rows = [await overheadRow(client, { what: 'exec true as a person', contained: null, most: 4 })];
    if (sandbox.kind !== 'none') {
      const what = `exec true in the sandbox (${sandbox.kind})`;
      rows.push(await overheadRow(client, { what, contained: home, most: 10 }));
    }
    await client.close();
    return rows;
  });
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
