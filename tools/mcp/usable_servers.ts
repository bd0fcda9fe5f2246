import { realpathSync } from 'node:fs';
import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import { nearest } from '../../hub/base/nearest_word.js';
import type { ToolServer } from '../../hub/protocol/methods/mcp_methods.js';
import type { MachinePaths } from '../base/tool_parts.js';
import { attempt } from '../walk/pinned_folder.js';
import type { GrantedServers } from './config/granted_servers.js';
import { readServers } from './config/read_servers.js';
import { type ServerDefinition, variablesOf } from './config/server_definition.js';

/** A server as a person is shown it. */
export function viewOfServer(
  server: ServerDefinition,
  { grant, isRunning }: { grant: ReturnType<GrantedServers['find']>; isRunning(network: boolean): boolean },
): ToolServer {
  const { name, source, command, cwd, isOfProject, sha256 } = server;
  const network = grant?.network ?? false;
  return {
    ...{ name, source, cwd, is_of_project: isOfProject, sha256, network },
    state: stateOf(server, grant !== null),
    command: command === null ? [] : [command, ...server.arguments],
    environment: Object.keys(server.environment),
    variables: variablesOf(server),
    is_running: isRunning(network),
  };
}

function stateOf({ command, isOfProject }: ServerDefinition, isGranted: boolean): ToolServer['state'] {
  if (command === null) return 'unsupported';
  return isOfProject && !isGranted ? 'untrusted' : 'ready';
}

/** A server by its name; one that nobody names is refused with the nearest. */
export function findServer(machine: MachinePaths, project: string, name: string): ServerDefinition {
  const { servers } = readServers(machine, project);
  const found = servers.find((one) => one.name === name);
  if (found !== undefined) return found;
  const near = nearest(
    name,
    servers.map((one) => one.name),
  );
  throw new HubError('not_found', `there is no tool server ${JSON.stringify(name)}`, {
    hint: near === null ? ['list them: ', cliCommand('tools')] : `did you mean ${near}?`,
  });
}

/** Refuses a server that may not be run: a project's that nobody has trusted as it is, or one over HTTP. */
export function refuseUnusable({ name, source }: ServerDefinition, state: ToolServer['state']): void {
  if (state === 'unsupported') {
    throw new HubError(
      'invalid_params',
      `${name} is no program that could be started: servers over HTTP are not called yet`,
    );
  }
  if (state === 'untrusted') {
    throw new HubError(
      'approval_needed',
      `${source} names the tool server ${name}, and you have not said yes to what it says now`,
      { hint: ['look at it, and then: ', cliCommand('tools', '--trust', name)] },
    );
  }
}

export function realProject(project: string): string {
  return attempt(() => realpathSync.native(project)) ?? project;
}
