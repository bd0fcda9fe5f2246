// A well-behaved client, which measures how long it waits. Usage: node other.mjs <home> <tree> <parent> <rounds>.
// It prints the milliseconds of all its calls, by method.
import { setTimeout as pause } from 'node:timers/promises';
import { connect } from '../../../dist/client.js';

const PAUSE_MS = 2;
const MEASURED_MS_MAX = 8_000;
const [home, tree, parent, rounds] = process.argv.slice(2);

const client = await connect({ home, start: false });
const block = { type: 'text', text: 'meanwhile' };
const CALLS = [
  ['health.check', {}],
  ['loom.node_get', { node: parent }],
  ['loom.node_create_text', { tree, parent, role: 'user', blocks: [block] }],
];
const took = Object.fromEntries(CALLS.map(([method]) => [method, []]));
// Under a load that starves others a few rounds say enough.
const endMs = performance.now() + MEASURED_MS_MAX;
for (let round = 0; round < Number(rounds) && performance.now() < endMs; round++) {
  for (const [method, params] of CALLS) {
    const startedAtMs = performance.now();
    await client.call(method, params);
    took[method].push(Math.round((performance.now() - startedAtMs) * 10) / 10);
    await pause(PAUSE_MS);
  }
}
process.stdout.write(JSON.stringify(took));
await client.close();
