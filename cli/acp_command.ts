import { command } from './command_line/command.js';
import { refuseInside } from './turn/refuse_inside_model.js';
import { CONVERSATION_FLAGS, TURN_VALUES } from './turn/turn_options.js';

export const acpCommand = command({
  name: 'acp',
  summary: 'Serve an editor: Zed, JetBrains, Neovim, Emacs and others that speak the Agent Client Protocol.',
  details:
    'An editor starts it and talks to it on standard input and output; it ends when its input does. The conversations are those of the command line: `cognition show` draws what was said in the editor, and `/fork`, `/back`, `/tree`, `/branches` and `/switch` work as messages there. What it may do is chosen in the editor, or here for all of its sessions.',
  flags: CONVERSATION_FLAGS,
  values: TURN_VALUES,
  examples: [
    { line: 'cognition acp', does: 'serves the editor that started it' },
    { line: 'cognition acp --level ask --model demo', does: 'asks before each change and command, without a key' },
  ],
  async run(input, context) {
    refuseInside('acp');
    // That bundle has its own of every module: it is given plain values.
    const { serveEditor } = await import('./repl/acp/serve_editor.js');
    return serveEditor(input, { json: context.json });
  },
});
