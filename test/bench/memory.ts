import { connectTo, withHome } from '../support/hub.js';
import type { Row } from './row.js';
import { addFan, newTree } from './trees.js';

const MANY_NODES = 1_000_000;

/** The memory of the hub's process. */
export function memoryRows({ isLarge }: { isLarge: boolean }): Promise<Row[]> {
  return withHome(async (home) => {
    const rows = [await memoryRow(home, 'hub memory, idle', 90)];
    if (!isLarge) return rows;
    const client = await connectTo(home);
    await addFan(client, await newTree(client), { count: MANY_NODES, inFlight: 256 });
    await client.close();
    return [...rows, await memoryRow(home, `hub memory with ${MANY_NODES} nodes stored, after writing them`, 150)];
  });
}

async function memoryRow(home: string, what: string, most: number): Promise<Row> {
  const client = await connectTo(home);
  const { memory_bytes } = await client.call('health.check', {});
  await client.close();
  return { what, value: memory_bytes / 1e6, unit: 'MB', budget: { most }, from: '' };
}
