import { randomUUID } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { closeInherited } from '../../hub/base/inherited_descriptors.js';
import type { Log, Plugin } from '../../hub/base/plugin.js';
import { type Client, connect } from '../../hub/client/client.js';
import { environment, homePaths, readPreferences, userHome, VERSION } from '../../hub/config/config.js';
import type { ToolParts } from '../base/tool_parts.js';
import { openBash } from '../bash/bash_plugin.js';
import { createFile } from '../file/file_plugin.js';
import { createHttp } from '../http/http_plugin.js';
import { createPostgres } from '../postgres/postgres_plugin.js';
import { findSandbox } from '../sandbox/sandbox.js';
import { createHealthCheck } from './health_check.js';
import { onceForEachId } from './once_per_id.js';
import { servePlugins } from './serve_plugins.js';

const STDERR_FD = 2;
/** How long the last answers may take to be read. */
const ANSWER_MS_MAX = 1_000;

/** The first line on standard input, which stays open for as long as the hub lives. */
interface StartMessage {
  home: string;
  secret: string;
}

/** Serves the tools to the hub that started this process, until it ends. */
async function main(): Promise<void> {
  process.umask(0o077);
  closeInherited(STDERR_FD);
  const { message, hubEnded } = await readStartMessage();
  process.title = `cognition tools ${message.home}`;
  const client = await connect({ home: message.home, start: false });
  const parts = partsOf(message.home, client);
  const sandbox = await findSandbox(parts);
  const bash = await openBash({ ...parts, sandbox });
  const plugins: Plugin[] = [
    bash,
    ...[createFile(parts), createHttp(parts), createPostgres(parts)].map((plugin) => onceForEachId(client, plugin)),
    createHealthCheck({ sandbox, version: VERSION, running: bash.running }),
  ];
  const serving = servePlugins(client, plugins);
  const lost = serveUntilLost(client, { plugins, secret: message.secret, take: serving.take });
  await Promise.race([hubEnded, lost]);
  for (const plugin of plugins.toReversed()) await plugin.close?.();
  await Promise.race([serving.answered(), wait(ANSWER_MS_MAX)]);
  process.exit(0);
}

async function readStartMessage(): Promise<{ message: StartMessage; hubEnded: Promise<void> }> {
  const lines = createInterface({ input: process.stdin });
  const hubEnded = new Promise<void>((resolve) => lines.once('close', resolve));
  const first = await Promise.race([
    new Promise<string>((resolve) => lines.once('line', resolve)),
    hubEnded.then(() => null),
  ]);
  if (first === null) process.exit(0);
  const message: StartMessage = JSON.parse(first);
  return { message, hubEnded };
}

interface Serving {
  plugins: readonly Plugin[];
  secret: string;
  take: ReturnType<typeof servePlugins>['take'];
}

/** Resolves when the connection is lost: the next hub starts its own tools. */
async function serveUntilLost(client: Client, { plugins, secret, take }: Serving): Promise<void> {
  const descriptions = plugins.map(({ name, version, methods, resolve }) => ({
    ...{ name, version, methods: Object.keys(methods), resolves: resolve !== undefined },
  }));
  await client
    .stream('plugins.serve', { secret, plugins: descriptions }, { onEvent: take })
    .catch((error: unknown) => console.error(`the tools lost the hub: ${String(error)}`));
}

function partsOf(home: string, client: Client): ToolParts {
  const log: Log = (level, message) => console.error(`${level} tools: ${message}`);
  const preferences = () => readPreferences({ home, project: null, flags: {} });
  return {
    hub: client,
    log,
    clock: Date.now,
    newId: randomUUID,
    machine: {
      // Policies contain real paths.
      userHome: existsSync(userHome()) ? realpathSync(userHome()) : userHome(),
      cognitionHome: realpathSync(home),
      commands: homePaths(home).commands,
      path: environment('PATH') ?? '/usr/local/bin:/usr/bin:/bin',
    },
    config: {
      outputBytesMax: () => Number(preferences().get('output.megabytes_max')) * 1_000_000,
      httpAllowed: () => words(preferences().get('http.allow')),
      postgres: (name) => preferences().connections.get(name) ?? null,
      postgresNames: () => [...preferences().connections.keys()],
    },
  };
}

function words(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '');
}

await main();
