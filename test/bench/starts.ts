import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { connectTo, killHub, withHome } from '../support/hub.js';
import { median, type Row } from './row.js';
import { addChain, newTree } from './trees.js';

const PROGRAM = fileURLToPath(new URL('../../dist/cognition.cjs', import.meta.url));
const ROUNDS = 21;
const SHOWN_NODES = 1_000;

/** The cost of starting a command, compared with starting an empty Node. */
export function startRows(): Promise<Row[]> {
  return withHome(async (home) => {
    const client = await connectTo(home);
    const tree = await newTree(client);
    await addChain(client, tree, SHOWN_NODES - 1);
    const bare = ['-e', '0'];
    const rows = [
      ratioRow('--version / bare node', { bare, given: [PROGRAM, '--version'], most: 1.3 }, home),
      ratioRow(
        `show of ${SHOWN_NODES} nodes, hub warm / bare node`,
        { bare, given: [PROGRAM, 'show', tree], most: 2 },
        home,
      ),
    ];
    await client.close();
    return [...rows, await coldRow(home)];
  });
}

interface Compared {
  bare: string[];
  given: string[];
  most: number;
}

function ratioRow(what: string, { bare, given, most }: Compared, home: string): Row {
  const baseMs: number[] = [];
  const givenMs: number[] = [];
  // Alternating, so that both run under the same load.
  for (let round = 0; round < ROUNDS; round++) {
    baseMs.push(runMs(bare, home));
    givenMs.push(runMs(given, home));
  }
  const [base, mine] = [median(baseMs), median(givenMs)];
  return {
    what,
    value: mine / base,
    unit: '×',
    budget: { most },
    from: `${mine.toFixed(1)} ms / ${base.toFixed(1)} ms`,
  };
}

function runMs(given: string[], home: string): number {
  const startedAt = performance.now();
  const { status, stderr } = spawnSync(process.execPath, given, {
    env: { ...process.env, COGNITION_HOME: home },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${given.join(' ')} failed: ${stderr}`);
  return performance.now() - startedAt;
}

async function coldRow(home: string): Promise<Row> {
  const startsMs: number[] = [];
  for (let round = 0; round < 5; round++) {
    await killHub(home);
    const startedAt = performance.now();
    const client = await connectTo(home);
    startsMs.push(performance.now() - startedAt);
    await client.close();
  }
  return { what: 'start of a hub until it answers', value: median(startsMs), unit: 'ms', budget: null, from: '' };
}
