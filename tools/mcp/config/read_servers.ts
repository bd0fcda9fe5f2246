import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { parse as parseToml } from 'smol-toml';
import type { MachinePaths } from '../../base/tool_parts.js';
import { mayRead } from '../../policy/path_rules.js';
import { attempt, readPinned } from '../../walk/pinned_folder.js';
import { resolveBelow, withRoot } from '../../walk/resolve_below.js';
import { parsedText } from './parsed_text.js';
import { definitionsIn, type ServerDefinition } from './server_definition.js';

const FILE_BYTES_MAX = 16 * 1024 * 1024;
const PROJECT_FILE_BYTES_MAX = 1024 * 1024;

/** Files of a person that name tool servers, the first counting before the others. */
const OF_PERSON = [
  { path: '.claude.json', program: 'Claude Code' },
  { path: '.codex/config.toml', program: 'Codex' },
  { path: '.gemini/settings.json', program: 'Gemini CLI' },
] as const;
const OF_PROJECT = ['.mcp.json', '.gemini/settings.json'] as const;

export interface FoundServers {
  servers: ServerDefinition[];
  warnings: string[];
}

/** The servers that files of a person and of a project name. A name that stands twice is the person's. */
export function readServers(machine: MachinePaths, project: string): FoundServers {
  const real = attempt(() => realpathSync.native(project)) ?? project;
  const found = [
    ofFile(join(machine.cognitionHome, 'mcp.json'), real),
    ...OF_PERSON.map(({ path }) => ofFile(join(machine.userHome, path), real)),
    ...OF_PROJECT.map((path) => ofProject(machine, real, path)),
  ];
  const names = new Set<string>();
  const servers = found
    .flatMap((one) => one.servers)
    .filter(({ name }) => {
      if (names.has(name)) return false;
      names.add(name);
      return true;
    });
  return { servers, warnings: found.flatMap(({ warnings }) => warnings) };
}

function ofFile(path: string, project: string): FoundServers {
  const text = readOwn(path);
  return text === null ? { servers: [], warnings: [] } : serversIn(text, { path, project, isOfProject: false });
}

/** A file of the person's own; null for none. */
function readOwn(path: string): string | null {
  const fd = attempt(() => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK));
  if (fd === null) return null;
  try {
    const stats = fstatSync(fd);
    return stats.isFile() && stats.size <= FILE_BYTES_MAX ? readFileSync(fd, 'utf8') : null;
  } finally {
    closeSync(fd);
  }
}

/** Of a project nothing is read that leads out of it. */
function ofProject(machine: MachinePaths, project: string, path: string): FoundServers {
  const policy = { kind: 'contained' as const, network: false, writable: [], readable: [project] };
  const read = withRoot(project, (root) =>
    resolveBelow(root, { path, held: project }, (file, real) => {
      const content = mayRead(real, policy, machine) ? readPinned(file, PROJECT_FILE_BYTES_MAX) : null;
      return content === null || !content.isWhole ? null : new TextDecoder().decode(content.bytes);
    }),
  );
  if (read === null || read.kind !== 'found' || read.value === null) return { servers: [], warnings: [] };
  return serversIn(read.value, { path: join(project, path), project, isOfProject: true });
}

interface FilePlace {
  path: string;
  project: string;
  isOfProject: boolean;
}

function serversIn(text: string, { path, project, isOfProject }: FilePlace): FoundServers {
  const parsed = parsedText(() => (path.endsWith('.toml') ? parseToml(text) : JSON.parse(text)));
  if (parsed === null) return { servers: [], warnings: [`${path} is not understood`] };
  const { mcpServers, mcp_servers: ofCodex, projects } = Object(parsed);
  const local = isOfProject
    ? undefined
    : Object(Object.hasOwn(Object(projects), project) ? projects[project] : {}).mcpServers;
  const parts = [
    definitionsIn(local, { source: `${path} (this project)`, isOfProject }),
    definitionsIn(mcpServers ?? ofCodex, { source: path, isOfProject }),
  ];
  return { servers: parts.flatMap((part) => part.servers), warnings: parts.flatMap((part) => part.warnings) };
}
