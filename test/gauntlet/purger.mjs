// Makes trees with a stored output, and purges them, until stdin ends. Prints the SHA-256 of each output whose purge was
// acknowledged. Usage: node purger.mjs <home>
import { randomUUID } from 'node:crypto';
import { connect } from '../../dist/client.js';

/** A client gives a call up that has seen several hubs die. */
const TRIES_MAX = 10;
const [home] = process.argv.slice(2);
let isEnding = false;
process.stdin.on('end', () => {
  isEnding = true;
});
process.stdin.resume();

const client = await connect({ home });
while (!isEnding) {
  const tree = randomUUID();
  await call('loom.tree_create', { id: tree });
  const sha256 = await storeOutput(tree, `the output of ${tree}`);
  const { confirm } = await call('loom.tree_purge', { tree });
  await call('loom.tree_purge', { tree, confirm });
  process.stdout.write(`${sha256}\n`);
}
await client.close();

async function storeOutput(tree, content) {
  const data = Buffer.from(content).toString('base64');
  const { output } = await call('loom.blob_write', { upload: randomUUID(), offset: 0, data, done: true });
  const external = {
    call: { tool: 'bash', input: { command: 'true' }, id: null },
    handle: { source: 'bash', source_version: '1.0.0', identifier: tree, metadata: {} },
    ...{ output, exit_code: 0, signal: null, duration_ms: 1, cwd: null },
  };
  await call('loom.node_create_external', { id: randomUUID(), tree, parent: tree, blocks: [], external });
  return output.sha256;
}

async function call(method, params) {
  for (let tries = 1; ; tries++) {
    try {
      return await client.call(method, params);
    } catch (error) {
      if (error.kind !== 'unreachable' || tries === TRIES_MAX) throw error;
    }
  }
}
