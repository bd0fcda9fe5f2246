import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const CLIENT = fileURLToPath(new URL('../../dist/client.js', import.meta.url));

// The script of each starter: it connects, starting a hub when necessary, and prints which process answered.
const SCRIPT = `
  const { connect } = await import(process.argv[1]);
  const client = await connect({ home: process.argv[2] });
  const { pid } = await client.call('health.check', {});
  console.log(pid);
  await client.close();
`;

/** Connects to the hub of a home from this many processes at once; returns the hub's process number for each. */
export async function startTogether(home: string, count: number): Promise<number[]> {
  const run = promisify(execFile);
  const words = ['--input-type=module', '--eval', SCRIPT, CLIENT, home];
  const runs = Array.from({ length: count }, () => run(process.execPath, words));
  return (await Promise.all(runs)).map(({ stdout }) => Number(stdout));
}
