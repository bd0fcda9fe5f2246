import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import { nearest } from '../../hub/base/nearest_word.js';
import { wholeEnvironment } from '../../hub/config/config.js';
import type { McpTool, ToolServer } from '../../hub/protocol/methods/mcp_methods.js';
import type { ParamsOf } from '../../hub/protocol/methods/method_table.js';
import { command } from '../command_line/command.js';
import type { Context } from '../command_line/command_context.js';
import { interruptible } from '../command_line/interruption.js';
import { ask } from '../input/ask_person.js';
import { EXIT } from '../output/failure.js';
import { clean, cleanLine } from '../render/text/clean.js';
import { toolInput } from '../tool_servers/input_words.js';
import { serverLines, serverText, toolHelp, toolLines } from '../tool_servers/tool_text.js';
import { refuseInside } from '../turn/refuse_inside_model.js';

export const toolsCommand = command({
  name: 'tools',
  summary: 'List the tool servers that you have set up elsewhere, their tools, or call one.',
  details:
    'It reads what Claude Code, Codex, Gemini CLI and .mcp.json say of servers of the Model Context Protocol, and mcp.json in the folder of cognition. A server runs in the sandbox, without the network unless you grant it with --net, and is kept for five minutes. What a file of the project says runs nothing before you have said yes to it with --trust; when it changes you are asked again. What follows a tool is its input: --name value, or one object of JSON; --help shows what it takes.',
  arguments: [
    { name: 'server', required: false, description: 'one of them; all are listed when left out', completes: null },
    { name: 'tool', required: false, description: 'one of its tools', completes: null },
    { name: 'input', required: false, description: 'what the tool takes', completes: null },
  ],
  variadic: true,
  passes: true,
  flags: [
    { name: 'json', short: null, description: 'print JSON instead of text' },
    { name: 'trust', short: null, description: 'say yes to what the project says of this server, after looking at it' },
    { name: 'net', short: null, description: 'let this server use the network' },
    { name: 'no-net', short: null, description: 'let it not any more' },
    { name: 'yes', short: null, description: 'do not ask' },
  ],
  examples: [
    { line: 'cognition tools', does: 'lists the servers' },
    { line: 'cognition tools --net github', does: 'lets one use the network' },
    { line: 'cognition tools github', does: 'lists its tools' },
    { line: 'cognition tools github search_issues --query crash', does: 'calls one' },
  ],
  async run(input, context) {
    refuseInside('tools');
    const [name, tool, ...words] = input.rest();
    const isGrant = input.flag('trust') || input.flag('net') || input.flag('no-net');
    if (name === undefined) {
      if (isGrant) throw new HubError('invalid_params', 'it takes a server', { hint: cliWords('--trust', '<server>') });
      return listServers(context);
    }
    const server = await findServer(context, name);
    if (isGrant) {
      const network = input.flag('net') || (server.network && !input.flag('no-net'));
      return grant(context, server, { network, isSure: input.flag('yes') });
    }
    const place = placeOf(context, server);
    return tool === undefined ? listTools(context, place) : callTool(context, place, { name: tool, words });
  },
});

function cliWords(...words: string[]) {
  return [cliCommand('tools', ...words)];
}

async function listServers(context: Context): Promise<number> {
  const client = await context.client();
  const listed = await client.call('mcp.server_list', { project: context.project });
  for (const warning of listed.warnings) context.note(cleanLine(warning));
  if (context.json) await context.printJson(listed);
  else await context.out.write(serverLines(listed.servers, await context.look([])));
  if (listed.servers.length === 0) {
    context.note('No tool servers are set up: not for Claude Code, Codex or Gemini CLI, and not in .mcp.json.');
  }
  return EXIT.ok;
}

async function findServer(context: Context, name: string): Promise<ToolServer> {
  const client = await context.client();
  const { servers } = await client.call('mcp.server_list', { project: context.project });
  const found = servers.find((server) => server.name === name);
  if (found !== undefined) return found;
  const near = nearest(
    name,
    servers.map((server) => server.name),
  );
  throw new HubError('not_found', `there is no tool server ${JSON.stringify(name)}`, {
    hint: near === null ? ['list them: ', cliCommand('tools')] : `did you mean ${near}?`,
  });
}

async function grant(
  context: Context,
  server: ToolServer,
  { network, isSure }: { network: boolean; isSure: boolean },
): Promise<number> {
  context.note(serverText(server));
  context.note(network ? '  with the network: what it reads it can send anywhere' : '  without the network');
  if (!isSure && (await ask(context, 'Shall it run like that? yes or no:')) !== 'yes') {
    throw new HubError('approval_needed', 'nothing was changed: the answer was not yes');
  }
  const client = await context.client();
  const { name, sha256 } = server;
  const granted = await client.call('mcp.server_grant', { project: context.project, server: name, sha256, network });
  if (context.json) await context.printJson(granted);
  return EXIT.ok;
}

/** Where a server is called: of the environment it gets what its configuration names, and no more. */
function placeOf(context: Context, { name, variables }: ToolServer): ParamsOf<'mcp.tool_list'> {
  const all = wholeEnvironment();
  const named = variables.flatMap((variable) => (all[variable] === undefined ? [] : [[variable, all[variable]]]));
  return { project: context.project, server: name, values: Object.fromEntries(named), path: all.PATH ?? null };
}

async function listTools(context: Context, place: ParamsOf<'mcp.tool_list'>): Promise<number> {
  const client = await context.client();
  const listed = await client.call('mcp.tool_list', place);
  for (const warning of listed.warnings) context.note(cleanLine(warning));
  if (context.json) await context.printJson(listed);
  else await context.out.write(toolLines(listed.tools, await context.look([])));
  if (listed.tools.length === 0) context.note('It has no tools.');
  return EXIT.ok;
}

async function callTool(
  context: Context,
  place: ParamsOf<'mcp.tool_list'>,
  { name, words }: { name: string; words: readonly string[] },
): Promise<number> {
  const client = await context.client();
  const { tools } = await client.call('mcp.tool_list', place);
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) throw unknownTool(place.server, name, tools);
  if (words.includes('--help')) {
    if (context.json) await context.printJson(tool);
    else await context.out.write(toolHelp(place.server, tool));
    return EXIT.ok;
  }
  const input = toolInput(tool, words);
  const abort = new AbortController();
  const { result, interrupted } = await interruptible(
    () => client.call('mcp.tool_call', { ...place, tool: name, input }, { signal: abort.signal }),
    () => abort.abort(),
  );
  if (context.json) await context.printJson(result);
  else await context.out.write(result.text === '' ? '' : `${clean(result.text).trimEnd()}\n`);
  if (result.is_cut) context.note('(it said more than 4 MB; the rest is cut)');
  return interrupted ?? (result.failed ? EXIT.failure : EXIT.ok);
}

function unknownTool(server: string, name: string, tools: readonly McpTool[]): HubError {
  const near = nearest(
    name,
    tools.map((tool) => tool.name),
  );
  return new HubError('not_found', `${server} has no tool ${JSON.stringify(name)}`, {
    hint: near === null ? ['list them: ', cliCommand('tools', server)] : `did you mean ${near}?`,
  });
}
