import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Contained } from '../../../hub/protocol/policy.js';
import { findSandbox } from '../../../tools/sandbox/forms/sandbox.js';
import type { SharedNetwork } from '../../../tools/sandbox/invocation.js';

/** Tells, as JSON, what commands inside see of a network that they share, and of the one outside. */
const [kind, folder = ''] = process.argv.slice(2);
const at = (name: string): string => join(folder, name);
const PATH = '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin';
const kept = at('home/kept');
const machine = { userHome: at('home'), cognitionHome: kept, commands: join(kept, 'commands'), path: PATH };
const only = kind === 'bubblewrap' ? 'bubblewrap' : 'util-linux';
const sandbox = findSandbox({ machine, log: () => undefined }, { only });
const isolated: Contained = { kind: 'contained', network: false, writable: [at('project')], readable: null };

async function wrapped(command: string, network: SharedNetwork | null, policy: Contained) {
  const program = { program: 'bash', arguments: ['-c', command] };
  return sandbox.wrap({ ...program, policy, cwd: at('project'), tmp: at('tmp'), network });
}

async function said(command: string, network: SharedNetwork | null, policy = isolated): Promise<string> {
  const { program, arguments: words, release } = await wrapped(command, network, policy);
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'], env: { PATH } });
  let out = '';
  child.stdout.on('data', (bytes: Buffer) => {
    out += bytes;
  });
  await once(child, 'close');
  release();
  return out.trim();
}

const outside = createServer((socket) => socket.end('outside'));
outside.listen(0, '127.0.0.1');
await once(outside, 'listening');
const address = outside.address();
const port = address !== null && typeof address === 'object' ? address.port : 0;

const network = await sandbox.openNetwork();
if (network === null) throw new Error('no network could be made');
const code = `require('net').createServer((s) => s.end('served')).listen(4321, '127.0.0.1', () => console.log('ready'))`;
const server = await wrapped(`exec ${process.execPath} -e "${code}"`, network, isolated);
const serving = spawn(server.program, server.arguments, { stdio: ['ignore', 'pipe', 'inherit'], env: { PATH } });
await once(serving.stdout, 'data');

const reach = (number: number) => `{ cat </dev/tcp/127.0.0.1/${number}; } 2>/dev/null || echo refused`;
const seen = {
  name: (await sandbox.report()).kind,
  joined: await said(reach(4321), network),
  apart: await said(reach(4321), null),
  interfaces: await said(`sed -n 's/^ *\\(.*\\):.*/\\1/p' /proc/net/dev | xargs`, network),
  rights: await said(`sed -n 's/^Cap\\(Eff\\|Bnd\\):\\t//p' /proc/self/status | xargs`, network),
  changed: await said('ip link set lo down 2>/dev/null && echo changed || echo refused', network),
  outside: await said(reach(port), network),
  granted: await said(reach(port), network, { ...isolated, network: true }),
};
serving.kill('SIGKILL');
network.close();
const [program, ...words] = network.entry;
const late = spawnSync(program, [...words, 'cat', '/proc/net/dev'], { encoding: 'utf8' });
console.log(JSON.stringify({ ...seen, closed: late.status === 0 ? 'entered' : 'none' }));
outside.close();
server.release();
process.exit(0);
