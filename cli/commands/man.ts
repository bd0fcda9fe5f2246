import { VERSION } from '../../hub/config/config.js';
import { type Command, type CommandGroup, command } from '../command_line/command.js';
import { manualPage } from '../help/manual_page.js';
import { EXIT } from '../output/failure.js';

/** Takes the table as a function, because the table includes this command. */
export const manCommand = (table: () => readonly (Command | CommandGroup)[]): Command =>
  command({
    name: 'man',
    summary: 'Print the manual page.',
    examples: [
      { line: 'cognition man | man -l -', does: 'reads it' },
      { line: 'cognition man > ~/.local/share/man/man1/cognition.1', does: 'installs it for man cognition' },
    ],
    async run(_input, context) {
      const page = manualPage(table(), VERSION);
      if (context.json) await context.printJson(page);
      else await context.out.write(page);
      return EXIT.ok;
    },
  });
