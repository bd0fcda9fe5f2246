import { randomUUID } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { closeInherited } from '../../hub/base/inherited_descriptors.js';
import { installedPackages } from '../../hub/base/packages/installed_packages.js';
import type { Log, Plugin } from '../../hub/base/plugin.js';
import { type Client, connect } from '../../hub/client/client.js';
import { environment, homePaths, readPreferences, userHome, VERSION } from '../../hub/config/config.js';
import { openOutside } from '../agents/exchange/outside_plugin.js';
import type { ToolParts } from '../base/tool_parts.js';
import { openBash } from '../bash/bash_plugin.js';
import { createFile } from '../file/file_plugin.js';
import { createFiles } from '../files/files_plugin.js';
import { createGit } from '../git/git_plugin.js';
import { createHttp } from '../http/http_plugin.js';
import { createImageShrinker } from '../images/shrink_image.js';
import { createMcp } from '../mcp/mcp_plugin.js';
import { createPostgres } from '../postgres/postgres_plugin.js';
import { createPrivateGit } from '../private_git/private_git.js';
import { findSandbox } from '../sandbox/forms/sandbox.js';
import { endWithHub } from './end_with_hub.js';
import { createHealthCheck } from './health_check.js';
import { onceForEachId } from './once_per_id.js';
import { servePlugins } from './serve_plugins.js';
import { makeSessionsFolder } from './sessions_folder.js';

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
  endWithHub();
  const { message, hubEnded } = await readStartMessage();
  process.title = `cognition tools ${message.home}`;
  const client = await connect({ home: message.home, start: false });
  const basic = partsOf(message.home, client);
  const sandbox = await findSandbox(basic);
  const packages = installedPackages(homePaths(message.home).packages);
  const parts: ToolParts = { ...basic, shrinkImage: createImageShrinker({ ...basic, sandbox, packages }) };
  const privateGit = createPrivateGit({ ...parts, sandbox });
  const bash = await openBash({ ...parts, sandbox, privateGit });
  const outside = await openOutside({ ...parts, sandbox, privateGit, runs: homePaths(message.home).agentRuns });
  const plugins: Plugin[] = [
    bash,
    onceForEachId(client, outside),
    createGit(privateGit, parts.log),
    createFiles({ ...parts, sandbox }),
    createMcp({ ...parts, sandbox }),
    ...[createFile(parts), createHttp(parts), createPostgres(parts)].map((plugin) => onceForEachId(client, plugin)),
    createHealthCheck({ sandbox, version: VERSION, running: () => bash.running() + outside.running() }),
  ];
  const serving = servePlugins(client, plugins);
  const lost = serveUntilLost(client, { plugins, secret: message.secret, take: serving.take });
  await Promise.race([hubEnded, lost]);
  // The hub waits some seconds for all of them together.
  await Promise.all(plugins.map((plugin) => plugin.close?.()));
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

function partsOf(home: string, client: Client): Omit<ToolParts, 'shrinkImage'> {
  const log: Log = (level, message) => console.error(`${level} tools: ${message}`);
  const preferences = () => readPreferences({ home, project: null, flags: {} });
  const cognitionHome = realpathSync(home);
  return {
    hub: client,
    log,
    clock: Date.now,
    newId: randomUUID,
    machine: {
      // Policies contain real paths.
      userHome: existsSync(userHome()) ? realpathSync(userHome()) : userHome(),
      cognitionHome,
      commands: homePaths(home).commands,
      path: environment('PATH') ?? '/usr/local/bin:/usr/bin:/bin',
    },
    sessionsFolder: makeSessionsFolder(cognitionHome, randomUUID()),
    config: {
      outputBytesMax: () => Number(preferences().get('output.megabytes_max')) * 1_000_000,
      httpAllowed: () => words(preferences().get('http.allow')),
      postgres: (name) => preferences().connections.get(name) ?? null,
      postgresNames: () => [...preferences().connections.keys()],
      agentModels: () => preferences().get('agents.models'),
      filesRecorded: () => preferences().get('files.record') === 'true',
    },
  };
}

function words(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '');
}

await main();
