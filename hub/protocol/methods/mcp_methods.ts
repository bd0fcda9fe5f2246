import * as z from 'zod';
import { methods } from '../method.js';
import { Json, Sha256 } from '../node.js';
import { AbsolutePath } from '../turn.js';
import { onTools } from './tool_methods.js';

/** What a person calls a tool server in a configuration. */
const ServerName = z.string().min(1).max(200);
/** The variables of a person's environment that a configuration names. */
const values = z.record(z.string().max(200), z.string().max(65_536)).default({});
const place = {
  project: AbsolutePath,
  server: ServerName,
  values,
  path: z.string().max(65_536).nullable().default(null),
};

const ToolServer = z.strictObject({
  name: ServerName,
  /** The file that names it. */
  source: z.string(),
  /** The project's own are none of the person's. */
  is_of_project: z.boolean(),
  /** `untrusted`: nobody has said yes to what the project's file says now. */
  state: z.enum(['ready', 'untrusted', 'unsupported']),
  /** What it runs, without what its environment says. */
  command: z.array(z.string()),
  /** Where it starts; null for the project. */
  cwd: z.string().nullable(),
  /** The names of the variables that it is given. */
  environment: z.array(z.string()),
  /** Variables of the person that its configuration names as `${NAME}`. */
  variables: z.array(z.string()),
  /** Of all that is said of it. */
  sha256: Sha256,
  network: z.boolean(),
  is_running: z.boolean(),
});
export type ToolServer = z.infer<typeof ToolServer>;

const Tool = z.strictObject({
  name: z.string(),
  description: z.string(),
  /** The JSON schema of its input; an empty one where what the server says is none. */
  schema: z.record(z.string(), Json),
});
export type McpTool = z.infer<typeof Tool>;

/** Tool servers of others, which speak the Model Context Protocol: found, trusted, kept running, called. */
export const mcpMethods = methods({
  'mcp.server_list': {
    ...onTools,
    description: 'Lists the tool servers that the configurations of a person and a project name; nothing is started.',
    params: z.strictObject({ project: AbsolutePath }),
    result: z.strictObject({ servers: z.array(ToolServer), warnings: z.array(z.string()) }),
  },
  'mcp.server_grant': {
    ...onTools,
    description:
      'Says for a person that a server may be run, and whether with the network: for what is said of it now, by its hash.',
    params: z.strictObject({ project: AbsolutePath, server: ServerName, sha256: Sha256, network: z.boolean() }),
    result: ToolServer,
  },
  'mcp.tool_list': {
    ...onTools,
    description: 'Lists the tools of a server, which is started where it does not run.',
    params: z.strictObject(place),
    result: z.strictObject({ tools: z.array(Tool), warnings: z.array(z.string()) }),
    callerGone: 'cancel',
  },
  'mcp.tool_call': {
    ...onTools,
    description: 'Calls a tool of a server, which is started where it does not run and kept for a while.',
    params: z.strictObject({
      ...place,
      tool: z.string().min(1).max(400),
      input: z.record(z.string(), Json),
      time_ms: z.int().positive().max(3_600_000).default(300_000),
    }),
    result: z.strictObject({ text: z.string(), failed: z.boolean(), is_cut: z.boolean() }),
    callerGone: 'cancel',
  },
});
