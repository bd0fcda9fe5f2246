import { HubError } from '../../hub/base/error.js';
import type { Plugin } from '../../hub/base/plugin.js';
import type { ToolServer } from '../../hub/protocol/methods/mcp_methods.js';
import type { ParsedOf } from '../../hub/protocol/methods/method_table.js';
import type { ToolParts } from '../base/tool_parts.js';
import type { Sandbox } from '../sandbox/forms/sandbox.js';
import { openGrants } from './config/granted_servers.js';
import { readServers } from './config/read_servers.js';
import type { ServerDefinition } from './config/server_definition.js';
import { createKeptServers, keyOf } from './connection/kept_servers.js';
import type { ServerStart } from './connection/start_server.js';
import { findServer, realProject, refuseUnusable, viewOfServer } from './usable_servers.js';

/** Tool servers of others: found in configurations, started for what a person has said yes to, kept and called. */
export function createMcp(parts: ToolParts & { sandbox: Sandbox }): Plugin {
  const { machine } = parts;
  const grants = openGrants(machine.cognitionHome);
  const kept = createKeptServers(parts);

  function viewOf(project: string, server: ServerDefinition): ToolServer {
    const isRunning = (network: boolean): boolean => kept.isRunning(keyOf({ server, project, network }));
    return viewOfServer(server, { grant: grants.find(project, server), isRunning });
  }

  function startOf({ project: given, server: name, values, path }: ParsedOf<'mcp.tool_list'>): ServerStart {
    const project = realProject(given);
    const server = findServer(machine, project, name);
    const { state, network } = viewOf(project, server);
    refuseUnusable(server, state);
    return { server, project, network, values, path };
  }

  return {
    name: 'mcp',
    version: '1.0.0',
    methods: {
      'mcp.server_list': async ({ project: given }) => {
        const project = realProject(given);
        const { servers, warnings } = readServers(machine, project);
        return { servers: servers.map((server) => viewOf(project, server)), warnings };
      },
      'mcp.server_grant': async ({ project: given, server: name, sha256, network }) => {
        const project = realProject(given);
        const server = findServer(machine, project, name);
        if (server.sha256 !== sha256) {
          throw new HubError('conflict', `what is said of ${name} has changed meanwhile`, { hint: 'look at it again' });
        }
        grants.set(project, server, network);
        return viewOf(project, server);
      },
      'mcp.tool_list': async (params, { signal }) =>
        kept.use(startOf(params), signal, (connection) => connection.listTools(signal)),
      'mcp.tool_call': async (params, { signal }) => {
        const { tool, input, time_ms: timeMs } = params;
        return kept.use(startOf(params), signal, (connection) => connection.callTool({ tool, input, timeMs }, signal));
      },
    },
    close: () => kept.endAll(),
  };
}
