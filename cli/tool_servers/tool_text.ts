import type { McpTool, ToolServer } from '../../hub/protocol/methods/mcp_methods.js';
import type { Look } from '../render/look/look.js';
import { clean, cleanLine } from '../render/text/clean.js';
import { columns } from '../render/text/columns.js';
import { optionsOf } from './input_words.js';

const LINE_LENGTH_MAX = 160;

/** Servers, one on a line: what each runs, and what it may. */
export function serverLines(servers: readonly ToolServer[], look: Look): string {
  const rows = servers.map((server) => [cleanLine(server.name), stateWords(server), commandWords(server)]);
  return lined(columns(rows, look));
}

function stateWords({ state, network, is_running: isRunning }: ToolServer): string {
  if (state === 'untrusted') return 'not trusted';
  if (state === 'unsupported') return 'not supported: over HTTP';
  return [network ? 'network' : 'no network', ...(isRunning ? ['runs'] : [])].join(', ');
}

function commandWords({ command, source }: ToolServer): string {
  return short(cleanLine(`${command.join(' ')}  (${source})`));
}

/** What a person says yes to: all that a file says of a server, but for the values of its environment. */
export function serverText({ name, source, command, cwd, environment, variables }: ToolServer): string {
  return [
    `${cleanLine(name)}, named in ${cleanLine(source)}`,
    `  runs: ${cleanLine(command.map((word) => JSON.stringify(word)).join(' '))}`,
    ...(cwd === null ? [] : [`  in: ${cleanLine(cwd)}`]),
    ...(environment.length === 0 ? [] : [`  with: ${cleanLine(environment.join(', '))}`]),
    ...(variables.length === 0 ? [] : [`  gets of your environment: ${cleanLine(variables.join(', '))}`]),
    '  in the sandbox: it reads the project, the system and what its command names, and writes nothing of yours',
  ].join('\n');
}

/** Tools, one on a line. */
export function toolLines(tools: readonly McpTool[], look: Look): string {
  return lined(
    columns(
      tools.map(({ name, description }) => [cleanLine(name), firstLine(description)]),
      look,
    ),
  );
}

/** The inputs of a tool from its schema. */
export function toolHelp(server: string, tool: McpTool): string {
  const options = optionsOf(tool);
  const words = options.map(({ name, type, isRequired }) =>
    isRequired ? `--${name} <${type}>` : `[--${name} <${type}>]`,
  );
  const usage = ['cognition tools', server, tool.name, ...words].join(' ');
  const rows = options.map(
    ({ name, type, description }) => `  --${cleanLine(name)} <${cleanLine(type)}>  ${firstLine(description)}`,
  );
  return `${[`Usage: ${cleanLine(usage)}`, '', clean(tool.description).trim(), '', ...rows].join('\n').trim()}\n`;
}

function firstLine(text: string): string {
  return short(cleanLine(text.trim().split('\n')[0] ?? ''));
}

function short(text: string): string {
  return text.length > LINE_LENGTH_MAX ? `${text.slice(0, LINE_LENGTH_MAX - 1).toWellFormed()}…` : text;
}

function lined(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
