import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HubError } from '../../hub/base/error.js';
import type { Client } from '../../hub/client/client.js';
import { homePaths } from '../../hub/config/config.js';
import { NodeId, Sha256, TreeId } from '../../hub/protocol/node.js';
import { outputPath } from '../../loom/outputs/output_path.js';
import { connectTo, HUB_ENTRY, killHub } from '../support/hub.js';
import { ran, text } from '../support/trees.js';
import { readDiskLog } from './disk_log.js';
import { loggedBy } from './power.js';
import { start } from './processes.js';

/** What a script was answered. */
interface Answered {
  nodes: string[];
  outputs: string[];
  /** Purged for certain; a purge that failed may have happened or not. */
  purged: string[];
  doubtful: Set<string>;
  refusals: HubError[];
}

/** Which change of the disk fails, and how. */
export interface Fault {
  at: number;
  errno: number;
}

/** What came of a fault: whether anything was refused because of it, and what is wrong then; null when nothing is. */
export interface FaultOutcome {
  isRefused: boolean;
  problem: string | null;
}

/** Runs the script in a home whose disk fails once. */
export async function tryFault(folder: string, shim: string, fault: Fault | null): Promise<FaultOutcome> {
  const [home, failing, log] = [join(folder, 'home'), join(folder, 'fails'), join(folder, 'disk.log')];
  for (const path of [home, failing, log]) rmSync(path, { recursive: true, force: true });
  const env = { ...process.env, ...loggedBy(shim, home, log), DISK_FAIL_AT: failing };
  const hub = start(HUB_ENTRY, [home], { env });
  try {
    await hub.says('is ready');
    const client = await connectTo(home, { start: false });
    if (fault !== null) writeFileSync(failing, `${fault.at} ${fault.errno}`);
    appendFileSync(log, 'A script\n');
    const answered = await runScript(client);
    const isRefused = answered.refusals.length > 0;
    rmSync(failing, { force: true });
    if (hub.child.exitCode !== null) return { isRefused, problem: 'the hub has ended' };
    await client.call('health.check', {});
    await client.close();
    hub.child.kill('SIGKILL');
    await hub.ended;
    return { isRefused, problem: await problemAtNextStart(home, answered) };
  } finally {
    hub.child.kill('SIGKILL');
    await killHub(home);
  }
}

/** How many changes of the disk the script makes, the hub's start left out. */
export async function countChanges(folder: string, shim: string): Promise<number> {
  const { problem } = await tryFault(folder, shim, null);
  if (problem !== null) throw new Error(problem);
  const changes = readDiskLog(join(folder, 'disk.log'));
  return changes.slice(changes.findIndex(({ kind }) => kind === 'note') + 1).length;
}

async function runScript(client: Client): Promise<Answered> {
  const answered: Answered = { nodes: [], outputs: [], purged: [], doubtful: new Set(), refusals: [] };
  for (const isPurged of [false, true, false, true]) {
    const tree = TreeId.parse(randomUUID());
    if (!(await tried(answered, () => grow(client, tree, answered))) || !isPurged) continue;
    answered.doubtful.add(tree);
    const done = await tried(answered, async () => {
      const { confirm } = await client.call('loom.tree_purge', { tree });
      await client.call('loom.tree_purge', { tree, confirm });
    });
    if (done) answered.purged.push(tree);
  }
  return answered;
}

async function grow(client: Client, tree: TreeId, { nodes, outputs }: Answered): Promise<void> {
  await client.call('loom.tree_create', { id: tree });
  nodes.push(`${tree} ${tree}`);
  const data = Buffer.from(`output of ${tree} ${'x'.repeat(5_000)}`).toString('base64');
  const { output } = await client.call('loom.blob_write', { upload: randomUUID(), offset: 0, data, done: true });
  const id = NodeId.parse(randomUUID());
  const place = { tree, parent: NodeId.parse(tree), blocks: text('seen') };
  await client.call('loom.node_create_external', { ...place, id, external: { ...ran('cat'), output } });
  nodes.push(`${tree} ${id}`);
  outputs.push(`${tree} ${output?.sha256}`);
  await client.call('loom.tree_update', { tree, name: null });
}

/** Whether it succeeded; a refusal is noted. */
async function tried(answered: Answered, work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    answered.refusals.push(error);
    return false;
  }
}

async function problemAtNextStart(home: string, answered: Answered): Promise<string | null> {
  const unexpected = answered.refusals.find(({ kind }) => kind !== 'disk_full' && kind !== 'storage_failed');
  if (unexpected !== undefined) return `refused by ${unexpected.kind}: ${unexpected.message}`;
  const client = await connectTo(home);
  try {
    for (const line of answered.nodes) {
      const [tree = '', node] = line.split(' ');
      if (answered.doubtful.has(tree)) continue;
      const found = await client.call('loom.node_get', { node: NodeId.parse(node) }).catch(() => null);
      if (found === null || found.node.damaged === true) return `the node ${node} was answered and is lost`;
    }
    const back = answered.outputs.find((line) => {
      const [tree = '', sha256 = ''] = line.split(' ');
      return (
        answered.purged.includes(tree) === existsSync(outputPath(homePaths(home).outputs, Sha256.parse(sha256))) &&
        !isDoubtful(answered, tree)
      );
    });
    if (back !== undefined) return `the output of ${back} is not as it was answered`;
    const { problems } = await client.call('loom.fsck', {});
    if (problems.length > 0) return JSON.stringify(problems[0]);
    await client.call('loom.tree_create', {});
    return null;
  } finally {
    await client.close();
  }
}

const isDoubtful = ({ doubtful, purged }: Answered, tree: string): boolean =>
  doubtful.has(tree) && !purged.includes(tree);
