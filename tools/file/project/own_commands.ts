import type { ParsedOf, ResultOf } from '../../../hub/protocol/methods/method_table.js';
import type { MachinePaths, ToolParts } from '../../base/tool_parts.js';
import { commandFoldersOf } from '../../policy/path_rules.js';
import { type Root, resolveBelow, withRoot } from '../../walk/resolve_below.js';
import { frontMatterText } from './front_matter.js';
import { readText } from './project_text.js';
import { namesIn } from './skills.js';

type OwnCommand = ResultOf<'file.command_list'>['commands'][number];

const OF_PROJECT = ['.cognition/commands', '.agents/commands', '.claude/commands'];
const FILE_NAME = /^([a-z\d][\w-]{0,60})\.md$/i;
const COMMANDS_MAX = 200;
const BYTES_MAX = 65_536;
const DESCRIPTION_LENGTH_MAX = 200;
const FRONT_MATTER = /^---[ \t]*\r?\n[\s\S]*?\r?\n---[ \t]*(?:\r?\n|$)/;

/** The Markdown files that a project and the person have as commands of the chat; of two with a name that of the project counts. */
export function readOwnCommands(
  { machine }: Pick<ToolParts, 'machine'>,
  { project }: ParsedOf<'file.command_list'>,
): ResultOf<'file.command_list'> {
  const byName = new Map<string, OwnCommand>();
  const add = (commands: readonly OwnCommand[]): void => {
    for (const command of commands) if (!byName.has(command.name)) byName.set(command.name, command);
  };
  withRoot(project, (root) => {
    for (const folder of OF_PROJECT) add(commandsIn(root, folder, machine));
  });
  for (const folder of commandFoldersOf(machine)) withRoot(folder, (root) => add(commandsIn(root, '', null)));
  return { commands: [...byName.values()].slice(0, COMMANDS_MAX) };
}

function commandsIn(root: Root, folder: string, machine: MachinePaths | null): OwnCommand[] {
  const found = resolveBelow(root, { path: folder, held: root.path }, (entry) => namesIn(entry));
  if (found.kind !== 'found') return [];
  return found.value
    .sort()
    .slice(0, COMMANDS_MAX)
    .flatMap((file) => {
      const [, name] = FILE_NAME.exec(file) ?? [];
      const path = folder === '' ? file : `${folder}/${file}`;
      const request = { root, path, held: root.path, bytesMax: BYTES_MAX, machine, refused: new Set<string>() };
      const page = name === undefined ? undefined : readText(request)?.text;
      return name === undefined || page === undefined ? [] : [commandOf(name.toLowerCase(), page)];
    });
}

function commandOf(name: string, page: string): OwnCommand {
  const text = page.replace(FRONT_MATTER, '').trim();
  const told = frontMatterText(page, 'description') ?? text.split('\n')[0] ?? '';
  return { name, description: told.slice(0, DESCRIPTION_LENGTH_MAX).toWellFormed(), text };
}
