import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PROGRAM } from '../support/cli.js';
import { connectTo, withHome } from '../support/hub.js';
import { say } from '../support/model/script.js';
import { KEY, type ModelServer, withModelServer } from '../support/model_server.js';
import { deltaRows } from './deltas.js';
import { otherFirstBytes } from './other_agents.js';
import { median, type Row } from './row.js';
import { addFan, newTree } from './trees.js';

const ROUNDS = 21;
const WARM_UP_ROUNDS = 3;
const OFF_PATH_NODES = 100_000;
/** The share of another agent's time for the same. */
const MOST_OF_OTHERS = 0.85;

/** The time of a command until its first byte reaches the model server, and the number of its requests. */
export function turnRows(): Promise<Row[]> {
  return withModelServer((server) =>
    withHome(async (home) => {
      const client = await connectTo(home);
      const folder = join(dirname(home), 'project');
      mkdirSync(folder);
      const place = { server, home, folder };
      const rows = [...(await firstByteRows(place)), await requestsRow(place), await largeTreeRow(place)];
      await client.close();
      return [...rows, ...(await deltaRows())];
    }),
  );
}

interface Place {
  server: ModelServer;
  home: string;
  folder: string;
}

async function firstByteRows(place: Place): Promise<Row[]> {
  const bareMs: number[] = [];
  const askMs: number[] = [];
  // Alternating, so that both run under the same load. The first rounds are warm-up.
  for (let round = 0; round < ROUNDS + WARM_UP_ROUNDS; round++) {
    const startedAt = performance.now();
    await run(['-e', '0'], place);
    const bare = performance.now() - startedAt;
    const own = await firstByteMs(['ask', 'hello'], place);
    if (round < WARM_UP_ROUNDS) continue;
    bareMs.push(bare);
    askMs.push(own);
  }
  const mine = median(askMs);
  const rows = [ratioRow('ask, hub warm: launch → first byte / bare node', { mine, base: median(bareMs), most: null })];
  for (const { name, tookMs } of await otherFirstBytes(place.folder)) {
    if (tookMs === null) console.error(`left out: ask / ${name}, which is not installed here`);
    else rows.push(ratioRow(`ask, hub warm: first byte / ${name}`, { mine, base: tookMs, most: MOST_OF_OTHERS }));
  }
  return rows;
}

/** The same question in a tree with very many nodes that are not on its path, and in one without. */
async function largeTreeRow(place: Place): Promise<Row> {
  const client = await connectTo(place.home);
  const [small, large] = [await newTree(client), await newTree(client)];
  // The asking position comes first; nodes off its path are added afterwards.
  for (const tree of [small, large]) await firstByteMs(['ask', tree, 'hello'], place);
  await addFan(client, large, { count: OFF_PATH_NODES, inFlight: 128 });
  await client.close();
  const tookMs = new Map<string, number[]>([
    [small, []],
    [large, []],
  ]);
  for (let round = 0; round < ROUNDS + WARM_UP_ROUNDS; round++) {
    for (const [tree, took] of tookMs) {
      const ms = await firstByteMs(['ask', tree, 'hello'], place);
      if (round >= WARM_UP_ROUNDS) took.push(ms);
    }
  }
  const [base, mine] = [median(tookMs.get(small) ?? []), median(tookMs.get(large) ?? [])];
  return ratioRow(`ask: first byte, ${OFF_PATH_NODES} nodes off the path / none`, { mine, base, most: 1.1 });
}

async function firstByteMs(words: string[], place: Place): Promise<number> {
  const sentAtMs = performance.now();
  await run([PROGRAM, ...words, '--model', 'anthropic/claude-sonnet-5'], place);
  return (place.server.requests.at(-1)?.atMs ?? Number.NaN) - sentAtMs;
}

function ratioRow(what: string, { mine, base, most }: { mine: number; base: number; most: number | null }): Row {
  const budget = most === null ? null : { most };
  return { what, value: mine / base, unit: '×', budget, from: `${mine.toFixed(1)} ms / ${base.toFixed(1)} ms` };
}

/** One request for each answer, and no other. */
async function requestsRow(place: Place): Promise<Row> {
  const before = place.server.requests.length;
  const call = { kind: 'call' as const, id: 'c1', tool: 'bash', input: '{"command":"true"}' };
  place.server.script(say(call), say({ kind: 'text', text: 'Done.' }));
  await run([PROGRAM, 'ask', 'work', '--model', 'anthropic/claude-sonnet-5'], place);
  const requests = place.server.requests.length - before;
  return {
    what: 'requests per answer of a turn',
    value: requests / 2,
    unit: '×',
    budget: { most: 1 },
    from: `${requests} / 2`,
  };
}

async function run(given: string[], { server, home, folder }: Place): Promise<void> {
  const env = { ...process.env, COGNITION_HOME: home, ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.origin };
  const child = spawn(process.execPath, given, { cwd: folder, env, stdio: 'ignore' });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${given.join(' ')} exits ${code}`);
}
