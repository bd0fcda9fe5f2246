import { columns } from '../../render/columns.js';
import type { Repl, ReplCommand } from '../repl.js';

const BESIDE = [
  ['!command', 'run it in bash; a model is shown what it prints'],
  ['!!command', 'run it without showing it to the model'],
] as const;

export function helpCommand(all: () => readonly ReplCommand[]): ReplCommand {
  return {
    name: 'help',
    usage: '[command]',
    summary: 'list the commands',
    completes: 'command',
    async run(given, repl) {
      const name = given.replace(/^\//, '');
      const one = all().find((command) => command.name === name);
      const shown = one === undefined ? [...all()] : [one];
      await repl.front.show({ kind: 'text', text: await listText(repl, shown, one === undefined) });
    },
  };
}

async function listText({ context }: Repl, commands: readonly ReplCommand[], isAll: boolean): Promise<string> {
  const rows = commands.map(({ name, usage, summary }) => [`/${name} ${usage}`.trimEnd(), summary]);
  const look = await context.look([]);
  const beside = isAll ? BESIDE.map((row) => [...row]) : [];
  return columns([...rows, ...beside], look)
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}
