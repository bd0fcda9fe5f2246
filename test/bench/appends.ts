import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Client } from '../../hub/client/client.js';
import { MIGRATIONS } from '../../loom/store/schema.js';
import { connectTo, withHome } from '../support/hub.js';
import { median, type Row } from './row.js';
import { addChain, addFan, newTree, TEXT } from './trees.js';

const ROUNDS = 7;
const ROUND_APPENDS = 800;
/** Rounds before the measurement, so that the hub's code is compiled. */
const WARM_UP_APPENDS = 6_000;

/** Durable appends through the socket against raw commits of the same rows to the same kind of file. */
export function appendRows(): Promise<Row[]> {
  return withHome(async (home) => {
    const client = await connectTo(home);
    await addFan(client, await newTree(client), { count: WARM_UP_APPENDS, inFlight: 16 });
    const raw = rawStore(join(home, 'raw.db'));
    const rows = [
      await appendRow({ client, raw, together: 1, least: 0.4 }),
      await appendRow({ client, raw, together: 16, least: 0.5 }),
    ];
    raw.close();
    await client.close();
    return rows;
  });
}

interface Compared {
  client: Client;
  raw: RawStore;
  together: number;
  least: number;
}

async function appendRow({ client, raw, together, least }: Compared): Promise<Row> {
  const throughSocket: number[] = [];
  const direct: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const tree = await newTree(client);
    direct.push(perSecond(await tookMs(async () => raw.append(ROUND_APPENDS, together))));
    const appends = () =>
      together === 1
        ? addChain(client, tree, ROUND_APPENDS)
        : addFan(client, tree, { count: ROUND_APPENDS, inFlight: together });
    throughSocket.push(perSecond(await tookMs(appends)));
  }
  const [mine, base] = [median(throughSocket), median(direct)];
  return {
    what: `durable appends, ${together} in flight / raw commits of ${together}`,
    value: mine / base,
    unit: '×',
    budget: { least },
    from: `${mine.toFixed(0)}/s / ${base.toFixed(0)}/s`,
  };
}

const perSecond = (ms: number): number => (ROUND_APPENDS / ms) * 1_000;

async function tookMs(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

interface RawStore {
  append(count: number, together: number): void;
  close(): void;
}

function rawStore(path: string): RawStore {
  const database = new Database(path);
  database.pragma('journal_mode = wal');
  database.pragma('synchronous = full');
  for (const migration of MIGRATIONS) database.exec(migration);
  database.exec("INSERT INTO trees (id, origin, created_at_ms, updated_at_ms, last_seq) VALUES (x'00', '{}', 0, 0, 0)");
  const insert = database.prepare(`INSERT INTO nodes
    (id, tree, parent, depth, role, created_at_ms, hash, preview, blocks) VALUES (?, 1, ?, ?, 'user', ?, ?, ?, ?)`);
  const blocks = JSON.stringify([{ type: 'text', text: TEXT }]);
  let last: number | bigint | null = null;
  let depth = 0;
  const batch = database.transaction((size: number) => {
    for (let row = 0; row < size; row++) {
      depth += 1;
      last = insert.run(
        randomBytes(16),
        last,
        depth,
        Date.now(),
        randomBytes(32),
        TEXT.slice(0, 80),
        blocks,
      ).lastInsertRowid;
    }
  });
  return {
    append(count, together) {
      for (let row = 0; row < count; row += together) batch(together);
    },
    close: () => {
      database.close();
    },
  };
}
