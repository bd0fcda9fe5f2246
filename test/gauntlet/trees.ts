import type { Client } from '../../hub/client/client.js';
import { NodeId, TreeId } from '../../hub/protocol/node.js';
import type { Policy } from '../../hub/protocol/policy.js';
import { connectTo, type TestHub } from '../support/hub.js';
import { processesWith, toolsOf, until } from '../tools/bash/processes.js';
import { newNodeId } from '../tools/bash/session.js';
import { type Extent, randomFrom } from './extent.js';

/** What a command leaves running: one process or more each. */
const BRANCHES = [
  'sleep 1000 &',
  'setsid sleep 1000 &',
  'setsid -f sleep 1000',
  'nohup sleep 1000 >/dev/null 2>&1 &',
  "(trap '' TERM INT HUP; while :; do sleep 0.05; done) &",
  'setsid sh -c "trap \'\' TERM INT HUP; while :; do sleep 0.05; done" &',
  '( (sleep 1000 &) & )',
  '( setsid sh -c "sleep 1000 & sleep 1000" & )',
  'coproc sleep 1000',
  'sh -c "sh -c \'sleep 1000 & exec sleep 1000\' & wait" &',
  'sleep 1000 | cat &',
  'exec 7> >(cat >/dev/null)',
  '(exec </dev/null >/dev/null 2>&1; setsid -f sleep 1000) &',
];

const TIMEOUT_MS = 800;

/** How the command ends. */
export const ENDS = ['timeout', 'cancel', 'client', 'tools', 'hub', 'both'] as const;
export type EndKind = (typeof ENDS)[number];

export interface TreeEnd {
  kind: EndKind;
  sandbox: string;
  /** The time from the cause until the last process is gone. */
  goneMs: number;
  /** The text of its node. */
  shown: string;
}

const CONTAINED = (folder: string): Policy => ({
  ...{ kind: 'contained', network: false, writable: [folder], readable: null },
});

/** Starts process trees and ends each of them in every way, outside and inside the sandbox. */
export async function endTrees(hub: TestHub, folder: string, { seed, count }: Extent): Promise<TreeEnd[]> {
  const random = randomFrom(seed);
  const pick = <T>(from: readonly T[], fallback: T): T => from[Math.floor(random() * from.length)] ?? fallback;
  const { id: tree } = await hub.client.call('loom.tree_create', {});
  const ends: TreeEnd[] = [];
  for (let round = 0; round < count; round++) {
    const kind = ENDS[round % ENDS.length] ?? 'cancel';
    const mark = `tree-${seed}-${round}-end`;
    // Each kind once: bash warns of a second coproc.
    const first = Math.floor(random() * BRANCHES.length);
    const turned = [...BRANCHES.slice(first), ...BRANCHES.slice(0, first)];
    const branches = turned.slice(0, 1 + Math.floor(random() * 6));
    const command = `export MARK=${mark}\n${branches.join('\n')}\necho ready; ${pick(['wait', 'sleep 1000'], 'wait')}; sleep 1000`;
    const policy: Policy = random() < 0.5 ? { kind: 'open' } : CONTAINED(folder);
    const background = random() < 0.5;
    ends.push(await endOne(hub, { kind, mark, command, policy, folder, tree: TreeId.parse(tree), background }));
  }
  return ends;
}

interface Round {
  kind: EndKind;
  mark: string;
  command: string;
  policy: Policy;
  folder: string;
  tree: TreeId;
  background: boolean;
}

async function endOne(
  hub: TestHub,
  { kind, mark, command, policy, folder, tree, background }: Round,
): Promise<TreeEnd> {
  const { home } = hub;
  const caller = await connectTo(home);
  const opened = { cwd: folder, environment: null, policy };
  const first = await caller.call('bash.open', opened);
  const isOpen = policy.kind === 'contained' && first.sandbox === 'none';
  const { session, sandbox } = isOpen ? await caller.call('bash.open', { ...opened, policy: { kind: 'open' } }) : first;
  const id = newNodeId();
  const timeout_ms = kind === 'timeout' ? TIMEOUT_MS : null;
  const place = { tree, node: NodeId.parse(tree) };
  const answer = caller.call('bash.execute', {
    ...{ id, session, command, place, append: true },
    timeout_ms,
    background,
  });
  answer.catch(() => undefined);
  await until(async () => {
    const { commands } = await hub.client.call('bash.list', {});
    return kind === 'timeout' || commands.some((running) => running.id === id && running.output_bytes >= 6);
  });
  if (kind !== 'timeout' && processesWith(mark).length === 0) throw new Error(`nothing runs of ${mark}`);
  const startedAt = performance.now();
  if (kind === 'timeout') await answer;
  if (kind === 'cancel') await hub.client.call('bash.cancel', { id });
  if (kind === 'client') await caller.close();
  const pids = { tools: [toolsOf(home)], hub: [await hub.pid()], both: [await hub.pid(), toolsOf(home)] };
  if (kind === 'tools' || kind === 'hub' || kind === 'both') for (const pid of pids[kind]) process.kill(pid, 'SIGKILL');
  if (kind === 'both') await hub.client.call('health.check', {});
  const causedAt = kind === 'timeout' ? startedAt + TIMEOUT_MS : startedAt;
  await until(() => processesWith(mark).length === 0);
  const goneMs = performance.now() - causedAt;
  const shown = await shownOf(hub.client, id);
  await caller.close();
  return { kind, sandbox, goneMs, shown };
}

/** The end of a node's text, once the node exists. */
async function shownOf(client: Client, node: NodeId): Promise<string> {
  let shown = '';
  await until(async () => {
    const found = await client.call('loom.node_get', { node }).catch(() => null);
    const block = found?.node.blocks[0];
    if (block?.type === 'text') shown = block.text;
    return found !== null;
  });
  return shown;
}
