import type { Client } from '../../hub/client/client.js';
import type { ResultOf } from '../../hub/protocol/methods/method_table.js';
import type { Context } from '../command_line/command_context.js';

type OwnCommand = ResultOf<'file.command_list'>['commands'][number];

/** Whose commands they are, and of which project. */
export interface OwnCommandsOf {
  client: Pick<Client, 'call'>;
  context: Pick<Context, 'project'>;
}

/** The commands that the person and the project have written as Markdown files. */
export async function listOwnCommands({ client, context }: OwnCommandsOf): Promise<OwnCommand[]> {
  return (await client.call('file.command_list', { project: context.project })).commands;
}

/** The message that an own command says; null where there is none of that name. */
export async function ownMessage(of: OwnCommandsOf, name: string, argument: string): Promise<string | null> {
  const command = (await listOwnCommands(of)).find((one) => one.name === name.toLowerCase());
  return command === undefined ? null : withArguments(command.text, argument);
}

const PLACES = /\$(?:ARGUMENTS\b|([1-9])(?!\d))/g;

/** `$ARGUMENTS` stands for all words after the command, `$1` for the first of them; without either they follow the text. */
export function withArguments(text: string, argument: string): string {
  const words = argument.split(/\s+/).filter((word) => word !== '');
  if (text.search(PLACES) < 0) return argument === '' ? text : `${text}\n\n${argument}`;
  return text.replace(PLACES, (_, place?: string) =>
    place === undefined ? argument : (words[Number(place) - 1] ?? ''),
  );
}
