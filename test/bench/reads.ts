import { join } from 'node:path';
import Database from 'better-sqlite3';
import { Bench } from 'tinybench';
import { openNavigator } from '../../cli/repl/navigator/navigator.js';
import type { Client } from '../../hub/client/client.js';
import { NodeId, type TreeId } from '../../hub/protocol/node.js';
import { connectTo, withHome } from '../support/hub.js';
import { lookAt } from '../support/look.js';
import { median, type Row } from './row.js';
import { addChain, addFan, newTree, TEXT } from './trees.js';

const PATH_NODES = 1_000;
const WINDOW_NODES = 100_000;
/** Fewer rows than a window has, whose words arrive together. */
const WINDOW_ROWS_MIN = 10;
const ROUNDS = 15;
const BENCH_TIME_MS = 1_500;

// The columns that a reader needs of each node on a path.
const RAW_PATH = `
  WITH RECURSIVE path (seq, parent) AS (
    SELECT seq, parent FROM nodes WHERE id = ?
    UNION ALL SELECT nodes.seq, nodes.parent FROM path CROSS JOIN nodes ON nodes.seq = path.parent
  )
  SELECT nodes.* FROM path CROSS JOIN nodes ON nodes.seq = path.seq ORDER BY nodes.seq`;

/** The cost of reads, compared with the same rows read directly from the file. */
export function readRows(): Promise<Row[]> {
  return withHome(async (home) => [await pathRow(home), await windowRow(home)]);
}

async function pathRow(home: string): Promise<Row> {
  const client = await connectTo(home);
  const node = await addChain(client, await newTree(client), PATH_NODES - 1);
  const database = new Database(join(home, 'trees.db'), { readonly: true });
  const statement = database.prepare(RAW_PATH);
  const id = Buffer.from(node.replaceAll('-', ''), 'hex');
  const bench = new Bench({ time: BENCH_TIME_MS });
  bench.add('raw', () => {
    statement.all(id);
  });
  bench.add('socket', async () => {
    await client.call('loom.context_get_path', { node, limit: PATH_NODES });
  });
  await bench.run();
  database.close();
  await client.close();
  const [base = Number.NaN, mine = Number.NaN] = bench.tasks.map(({ result }) =>
    result.state === 'completed' ? result.latency.p50 : Number.NaN,
  );
  return {
    what: `path of ${PATH_NODES} nodes through the socket / raw SQL`,
    value: mine / base,
    unit: '×',
    budget: { most: 3.5 },
    from: `${mine.toFixed(2)} ms / ${base.toFixed(2)} ms`,
  };
}

async function windowRow(home: string): Promise<Row> {
  const client = await connectTo(home);
  const tree = await newTree(client);
  await addFan(client, tree, { count: WINDOW_NODES - 1, inFlight: 128 });
  const tookMs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = performance.now();
    await firstWindow(client, tree);
    tookMs.push(performance.now() - startedAt);
  }
  await client.close();
  return {
    what: `first window of ${WINDOW_NODES} nodes, warm`,
    value: median(tookMs),
    unit: 'ms',
    budget: { most: 100 },
    from: '',
  };
}

/** Opens the navigator, and resolves when it has drawn a screen with all previews. */
async function firstWindow(client: Client, tree: TreeId): Promise<void> {
  const size = { columns: 80, rows: 24 };
  let draw: (() => string[]) | null = null;
  let isDrawn: () => void = () => undefined;
  const drawn = new Promise<void>((resolve) => {
    isDrawn = resolve;
  });
  const redrawScreen = (): void => {
    const rows = draw?.() ?? [];
    if (rows.filter((row) => row.includes(TEXT.slice(0, 20))).length >= WINDOW_ROWS_MIN) isDrawn();
  };
  const navigator = await openNavigator({
    counts: null,
    ...{ client, position: () => NodeId.parse(tree), tree: { id: tree, title: 'notes' }, look: lookAt },
    type: () => undefined,
    terminal: {
      ...{ size: () => size, redrawScreen, leaveScreen: () => undefined },
      enterScreen(drawing) {
        draw = () => [...drawing(size).lines];
        redrawScreen();
      },
    },
  });
  await drawn;
  navigator.leave();
  await navigator.end;
}
