// Asks for the hub of a home, starting it when none runs, and prints its process id.
// Usage: node starter.mjs <home>
import { connect } from '../../dist/client.js';

const client = await connect({ home: process.argv[2] });
const { pid } = await client.call('health.check', {});
process.stdout.write(`${pid}\n`);
await client.close();
