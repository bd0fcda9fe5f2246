import type { Command, CommandGroup } from '../command_line/command.js';
import { EXIT_MEANINGS } from '../output/failure.js';

/** The manual page, in roff, from the table of commands. */
export function manualPage(table: readonly (Command | CommandGroup)[], version: string): string {
  return [
    `.TH COGNITION 1 "" "cognition ${escapeRoff(version)}" "User Commands"`,
    '.SH NAME',
    'cognition \\- a terminal agent whose conversation is a tree',
    '.SH SYNOPSIS',
    '.B cognition',
    '.I command',
    '[\\fIarguments\\fR] [\\fIoptions\\fR]',
    '.SH COMMANDS',
    ...table.flatMap((entry) =>
      entry.kind === 'command'
        ? commandLines(entry, entry.name)
        : [
            `.SS ${entry.name}`,
            escapeRoff(`${entry.summary} ${entry.details}`.trim()),
            ...entry.commands.flatMap((one) => commandLines(one, `${entry.name} ${one.name}`)),
          ],
    ),
    '.SH OPTIONS OF EVERY COMMAND',
    ...termLines('\\-\\-json', 'Print JSON instead of text.'),
    ...termLines('\\-\\-color \\fIwhen\\fR', 'Colours: auto, always or never.'),
    ...termLines('\\-h, \\-\\-help', 'Show help.'),
    '.SH EXIT STATUS',
    ...EXIT_MEANINGS.flatMap(([code, meaning]) => termLines(String(code), escapeRoff(meaning))),
    '.SH ENVIRONMENT',
    ...termLines('COGNITION_HOME', 'The home folder; ~/.cognition when it is not set.'),
    ...termLines('NO_COLOR, FORCE_COLOR, COLUMNS, PAGER', 'As everywhere; see \\fBcognition config list\\fR.'),
    '',
  ].join('\n');
}

function commandLines(command: Command, name: string): string[] {
  const words = command.arguments.map((one) => (one.required ? `<${one.name}>` : `[${one.name}]`)).join(' ');
  return [
    `.SS ${escapeRoff(`${name} ${words}`.trim())}`,
    escapeRoff(command.summary),
    ...(command.details === '' ? [] : ['.PP', escapeRoff(command.details)]),
    ...command.arguments.flatMap((one) => termLines(`\\fI${escapeRoff(one.name)}\\fR`, escapeRoff(one.description))),
    ...command.flags.flatMap(({ name: flag, short, description }) =>
      termLines(escapeRoff(`${short === null ? '' : `-${short}, `}--${flag}`), escapeRoff(description)),
    ),
    ...command.values.flatMap(({ name: option, short, value, choices, description }) =>
      termLines(
        `${escapeRoff(`${short === undefined ? '' : `-${short}, `}--${option}`)} \\fI${escapeRoff(value)}\\fR`,
        escapeRoff(choices === null ? description : `${description} (${choices.join(', ')})`),
      ),
    ),
    ...command.examples.flatMap(({ line, does }) => [
      '.PP',
      '.nf',
      `\\fB${escapeRoff(line)}\\fR`,
      '.fi',
      escapeRoff(does),
    ]),
  ];
}

function termLines(term: string, text: string): string[] {
  return ['.TP', term, text];
}

/** A backslash, a dash and a leading dot or quote mean something to roff. */
function escapeRoff(text: string): string {
  return text
    .replace(/\\/g, '\\e')
    .replace(/-/g, '\\-')
    .replace(/^([.'])/gm, '\\&$1');
}
