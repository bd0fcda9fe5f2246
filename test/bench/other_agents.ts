import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { withRawServer } from '../support/model/raw_server.js';
import { median } from './row.js';

const ROUNDS = 9;
const KEY = 'sk-bench';

/** How another agent is asked one question, and the files that its home needs for that. */
interface OtherAgent {
  name: string;
  program: string;
  given: string[];
  prepare(home: string, origin: string): void;
}

const AGENTS: OtherAgent[] = [
  {
    ...{ name: 'codex exec', program: 'codex' },
    given: ['exec', '--skip-git-repo-check', 'hello'],
    prepare(home, origin) {
      mkdirSync(join(home, '.codex'), { recursive: true });
      // Without these it also checks for updates and reports usage, which takes seconds without a network.
      const lines = [
        ...['model = "bench"', 'model_provider = "bench"', 'check_for_update_on_startup = false'],
        ...['[analytics]', 'enabled = false', '[model_providers.bench]', 'name = "bench"', `base_url = "${origin}/v1"`],
        ...['wire_api = "responses"', 'env_key = "BENCH_KEY"', 'request_max_retries = 0', 'stream_max_retries = 0'],
      ];
      writeFileSync(join(home, '.codex', 'config.toml'), `${lines.join('\n')}\n`);
    },
  },
  {
    ...{ name: 'pi -p', program: 'pi' },
    given: ['-p', '--provider', 'bench', '--model', 'bench', '--no-session', 'hello'],
    prepare(home, origin) {
      mkdirSync(join(home, '.pi', 'agent'), { recursive: true });
      const bench = { baseUrl: origin, api: 'anthropic-messages', apiKey: KEY, models: [{ id: 'bench' }] };
      writeFileSync(join(home, '.pi', 'agent', 'models.json'), JSON.stringify({ providers: { bench } }));
    },
  },
];

/** From its launch until the server has its request, for each other agent that is installed; null for one that is not. */
export async function otherFirstBytes(folder: string): Promise<{ name: string; tookMs: number | null }[]> {
  const found: { name: string; tookMs: number | null }[] = [];
  for (const agent of AGENTS) {
    const isThere = isOnPath(agent.program);
    found.push({ name: agent.name, tookMs: isThere ? await firstByteOf(agent, folder) : null });
  }
  return found;
}

function isOnPath(program: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((place) => {
    try {
      accessSync(join(place, program), constants.X_OK);
      return true;
    } catch {
      return false; // it is not in this folder
    }
  });
}

async function firstByteOf({ program, given, prepare }: OtherAgent, folder: string): Promise<number> {
  const home = join(folder, program);
  const tookMs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    let firstAtMs = Number.NaN;
    await withRawServer(
      (response, { method }) => {
        if (method === 'POST' && Number.isNaN(firstAtMs)) firstAtMs = performance.now();
        response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":{"message":"enough"}}');
      },
      async (origin) => {
        prepare(home, origin);
        const startedAt = performance.now();
        const env = { PATH: process.env.PATH, HOME: home, BENCH_KEY: KEY };
        // The request is refused, so the exit code means nothing.
        await once(spawn(program, given, { cwd: home, env, stdio: 'ignore', timeout: 20_000 }), 'exit');
        tookMs.push(firstAtMs - startedAt);
      },
    );
  }
  return median(tookMs);
}
