import { CURRENT_TREE, command } from '../command_line/command.js';
import { EXIT } from '../output/failure.js';
import { findTree } from '../position/reference.js';
import { jsonLines, shortLines } from '../reports/event_log_output.js';
import { followLog, printLog } from '../reports/print_event_log.js';

export const logCommand = command({
  name: 'log',
  summary: 'Print all that happened in a conversation, in order.',
  details:
    'On all its branches, a line for each node: what was said, what was called, what came of it, and the tokens it took. On a terminal the lines are short; piped, or with --jsonl, each is JSON. See the guide on transcripts for its form.',
  arguments: [CURRENT_TREE],
  flags: [
    { name: 'follow', short: 'f', description: 'go on with what happens, until Ctrl-C' },
    { name: 'jsonl', short: null, description: 'lines of JSON on a terminal, too' },
  ],
  examples: [
    { line: 'cognition log', does: 'tells what happened in the current conversation' },
    { line: 'cognition log @ -f', does: 'watches it' },
    { line: 'cognition log notes > notes.jsonl', does: 'writes all of it to a file' },
  ],
  async run(input, context) {
    const tree = await findTree(context, input.argument('tree') ?? '@', 'read');
    const isRaw = context.json || input.flag('jsonl') || !context.screen.isTty;
    const output = isRaw ? jsonLines(context) : shortLines(context, await context.look(['数']));
    if (input.flag('follow')) await followLog(context, tree, output);
    else await printLog(context, tree, output);
    return EXIT.ok;
  },
});
