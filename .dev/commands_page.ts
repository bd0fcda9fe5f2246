import type { Command, CommandGroup } from '../cli/command_line/command.js';

/** docs/commands.md, made from the table of commands. */
export function commandsPage(table: readonly (Command | CommandGroup)[]): string {
  const sections = table.flatMap((entry) =>
    entry.kind === 'command'
      ? [commandText(entry, entry.name)]
      : entry.commands.map((command) => commandText(command, `${entry.name} ${command.name}`)),
  );
  return `${[INTRODUCTION, ...sections].join('\n\n')}\n`;
}

function commandText(command: Command, name: string): string {
  const given = command.arguments.map((argument) => (argument.required ? `<${argument.name}>` : `[${argument.name}]`));
  const parts = [`## ${name}`, command.summary, `\`${['cognition', name, ...given].join(' ')}\``];
  if (command.details !== '') parts.push(command.details);
  const rows = [...argumentRows(command), ...flagRows(command), ...valueRows(command)];
  if (rows.length > 0) parts.push(['| | |', '|---|---|', ...rows].join('\n'));
  const examples = command.examples.map(({ line, does }) => `${line}   # ${does}`);
  if (examples.length > 0) parts.push(`\`\`\`sh\n${examples.join('\n')}\n\`\`\``);
  return parts.join('\n\n');
}

function argumentRows(command: Command): string[] {
  return command.arguments.map(({ name, description }) => row(name, description));
}

function flagRows(command: Command): string[] {
  return command.flags.map(({ name, short, description }) =>
    row(short === null ? `--${name}` : `-${short}, --${name}`, description),
  );
}

function valueRows(command: Command): string[] {
  return command.values.map(({ name, short, value, choices, description }) =>
    row(
      `${short === undefined ? '' : `-${short}, `}--${name} <${value}>`,
      choices === null ? description : `${description} One of ${choices.join(', ')}.`,
    ),
  );
}

const row = (term: string, description: string): string => `| \`${term}\` | ${description.replaceAll('|', '\\|')} |`;

const INTRODUCTION = `# Commands

<!-- Written by \`npm run docs\` from cli/command_table.ts; do not edit. -->

Every command also takes \`--json\` (JSON instead of text), \`--color <auto|always|never>\` and \`--help\`.`;
