// Appends a chain of messages until stdin ends. Prints "id parent" for each append that was acknowledged.
// Usage: node writer.mjs <home> <tree>
import { randomUUID } from 'node:crypto';
import { connect } from '../../dist/client.js';

const RETRY_EVERY = 10;
/** A client gives a call up that has seen several hubs die; with eight writers that need not be the call's fault. */
const TRIES_MAX = 10;
const [home, tree] = process.argv.slice(2);
let isEnding = false;
process.stdin.on('end', () => {
  isEnding = true;
});
process.stdin.resume();

const client = await connect({ home });
let parent = tree;
for (let number = 1; !isEnding; number++) {
  const id = randomUUID();
  const params = { id, tree, parent, role: 'user', blocks: [{ type: 'text', text: `message ${number}` }] };
  const { node } = await append(params);
  process.stdout.write(`${id} ${parent}\n`);
  if (number % RETRY_EVERY === 0) {
    const again = await append(params);
    if (again.node.seq !== node.seq) throw new Error(`a retry of ${id} made another node`);
  }
  parent = id;
}
await client.close();

/** The same id again and again makes one node. */
async function append(params) {
  for (let tries = 1; ; tries++) {
    try {
      return await client.call('loom.node_create_text', params);
    } catch (error) {
      if (error.kind !== 'unreachable' || tries === TRIES_MAX) throw error;
    }
  }
}
