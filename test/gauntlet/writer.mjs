// Appends a chain of messages until stdin ends. Prints "id parent" for each append that was acknowledged.
// Usage: node writer.mjs <home> <tree>
import { randomUUID } from 'node:crypto';
import { connect } from '../../dist/client.js';

const RETRY_EVERY = 10;
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
  const { node } = await client.call('loom.node_create_text', params);
  process.stdout.write(`${id} ${parent}\n`);
  if (number % RETRY_EVERY === 0) {
    const again = await client.call('loom.node_create_text', params);
    if (again.node.seq !== node.seq) throw new Error(`a retry of ${id} made another node`);
  }
  parent = id;
}
await client.close();
