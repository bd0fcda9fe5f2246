import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PROGRAM } from '../support/cli.js';
import { connectTo, withHome } from '../support/hub.js';
import { say } from '../support/model/script.js';
import { KEY, type ModelServer, withModelServer } from '../support/model_server.js';
import { median, type Row } from './row.js';

const ROUNDS = 21;
const WARM_UP_ROUNDS = 3;

/** What it takes a command until the model server has its first byte, and how often it asks. */
export function turnRows(): Promise<Row[]> {
  return withModelServer((server) =>
    withHome(async (home) => {
      const client = await connectTo(home);
      const folder = join(dirname(home), 'project');
      mkdirSync(folder);
      const rows = [await firstByteRow({ server, home, folder }), await requestsRow({ server, home, folder })];
      await client.close();
      return rows;
    }),
  );
}

interface Place {
  server: ModelServer;
  home: string;
  folder: string;
}

async function firstByteRow(place: Place): Promise<Row> {
  const bareMs: number[] = [];
  const askMs: number[] = [];
  // In turns, so that both see the same weather. The first rounds warm both up.
  for (let round = 0; round < ROUNDS + WARM_UP_ROUNDS; round++) {
    const startedAt = performance.now();
    await run(['-e', '0'], place);
    const bare = performance.now() - startedAt;
    const askedAt = performance.now();
    await run([PROGRAM, 'ask', 'hello', '--model', 'anthropic/claude-sonnet-5'], place);
    const own = (place.server.requests.at(-1)?.atMs ?? Number.NaN) - askedAt;
    if (round < WARM_UP_ROUNDS) continue;
    bareMs.push(bare);
    askMs.push(own);
  }
  const [base, mine] = [median(bareMs), median(askMs)];
  return {
    what: 'ask, hub warm: launch → first byte at the server / bare node',
    value: mine / base,
    unit: '×',
    budget: null,
    from: `${mine.toFixed(1)} ms / ${base.toFixed(1)} ms`,
  };
}

/** One request for each answer, and no other. */
async function requestsRow(place: Place): Promise<Row> {
  const before = place.server.requests.length;
  const call = { kind: 'call' as const, id: 'c1', tool: 'bash', input: '{"command":"true"}' };
  place.server.script(say(call), say({ kind: 'text', text: 'Done.' }));
  await run([PROGRAM, 'ask', 'work', '--model', 'anthropic/claude-sonnet-5'], place);
  const requests = place.server.requests.length - before;
  return {
    what: 'requests per answer of a turn',
    value: requests / 2,
    unit: '×',
    budget: { most: 1 },
    from: `${requests} / 2`,
  };
}

async function run(given: string[], { server, home, folder }: Place): Promise<void> {
  const env = { ...process.env, COGNITION_HOME: home, ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.origin };
  const child = spawn(process.execPath, given, { cwd: folder, env, stdio: 'ignore' });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${given.join(' ')} exits ${code}`);
}
