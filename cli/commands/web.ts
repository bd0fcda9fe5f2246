import { CURRENT_TREE, command } from '../command_line/command.js';
import { takeSignals } from '../command_line/interruption.js';
import { refuseInside } from '../turn/refuse_inside_model.js';
import { CONVERSATION_FLAGS, TURN_VALUES } from '../turn/turn_options.js';

export const webCommand = command({
  name: 'web',
  summary: 'Show conversations in a browser: the whole tree, what runs in it, what branches changed and cost.',
  details:
    'Prints a link, opens it, and serves the page until Ctrl-C. Without a tree the page begins with a list of all conversations, those of this project first. Only your own browser on this machine gets in: the link holds for two minutes and for one page, and a second use of it closes that page. The page reads; with --write it also says, forks, steers, stops, answers, marks and archives, as commands of yours would in this folder, with these options.',
  arguments: [{ ...CURRENT_TREE, description: CURRENT_TREE.description.replace(/;.*$/, '; a list when left out') }],
  flags: [
    { name: 'no-open', short: null, description: 'only print the link' },
    { name: 'write', short: null, description: 'the page may also say, fork, steer, stop, answer, mark and archive' },
    ...CONVERSATION_FLAGS,
  ],
  values: [
    {
      name: 'port',
      value: 'number',
      choices: null,
      description: 'listen on this port; any that is free when left out',
    },
    ...TURN_VALUES,
  ],
  examples: [
    { line: 'cognition web', does: 'lists all conversations in your browser' },
    { line: 'cognition web @', does: 'shows the current one' },
    { line: 'cognition web @ --write --model sonnet', does: 'lets you go on from any place of it, too' },
    { line: 'cognition web --no-open --port 8700', does: 'prints a link for a port of your choice' },
  ],
  async run(input, context) {
    refuseInside('web');
    // That bundle has its own of every module: it is given what must be the same.
    const { serveWeb } = await import('../web/serve_web.js');
    return serveWeb(input, { json: context.json, onSignal: takeSignals });
  },
});
