import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { HubError } from '../../hub/base/error.js';
import type { Node } from '../../hub/protocol/node.js';
import { pathTurns } from '../../tools/agents/history/path_turns.js';
import { CURRENT_TREE, command, NODE_WORDS } from '../command_line/command.js';
import { EXIT } from '../output/failure.js';
import { positionOf } from '../position/position.js';
import { workFolder } from '../position/project_folder.js';
import { findTree } from '../position/reference.js';
import { notStarted } from '../transfer/history/run_program.js';
import { type OpenedSession, SESSION_OPENERS } from '../transfer/history/session_openers.js';
import { refuseInside } from '../turn/refuse_inside_model.js';

export const openCommand = command({
  name: 'open',
  summary: 'Open a branch in another agent, which goes on with it.',
  details:
    'The branch is written as a session of that agent, in its own form: its model is sent the messages, answers and calls as if they had been its own. What stands before a summary is not written, nor is thinking; images become a line that names them. The command that goes on there is printed, or run with --run. What is said there comes back with import --from.',
  arguments: [CURRENT_TREE],
  values: [
    { name: 'in', value: 'agent', choices: [...SESSION_OPENERS.keys()], description: 'the agent' },
    { name: 'at', value: 'node', choices: null, description: `open the path to this node: ${NODE_WORDS}` },
    { name: 'model', value: 'model', choices: null, description: 'the model that is to have said what is there' },
  ],
  flags: [{ name: 'run', short: null, description: 'run the command that goes on there' }],
  examples: [
    { line: 'cognition open --in claude', does: 'prints how to go on in Claude Code' },
    { line: 'cognition open notes --in codex --run', does: 'goes on with another one in Codex' },
  ],
  async run(input, context) {
    const name = input.value('in');
    const opener = name === undefined ? undefined : SESSION_OPENERS.get(name);
    if (opener === undefined) {
      throw new HubError('invalid_params', 'say in which agent', {
        hint: `--in ${[...SESSION_OPENERS.keys()].join(', --in ')}`,
      });
    }
    if (input.flag('run')) refuseInside('open');
    const tree = await findTree(context, input.argument('tree') ?? '@', 'read');
    const node = await positionOf(context, tree, input.value('at'));
    const client = await context.client();
    const path: Node[] = [];
    for await (const one of client.pages('loom.context_get_path', { node }, 'nodes')) path.push(one);
    const turns = pathTurns(path);
    if (turns.length === 0) {
      throw new HubError('invalid_params', 'nothing was said on this branch', { hint: 'name another node with --at' });
    }
    const cwd = workFolder(tree, context.project);
    const handovers = join(context.paths.home, 'handovers');
    const opened = await opener(turns, { cwd, model: input.value('model') ?? null, handovers });
    if (input.flag('run')) return runHere(opened, cwd);
    if (context.json) await context.printJson({ ...opened, cwd });
    else await context.out.write(`${commandLine(opened, cwd)}\n`);
    return EXIT.ok;
  },
});

async function runHere({ command: [program, ...words] }: OpenedSession, cwd: string): Promise<number> {
  const child = spawn(program, words, { cwd, stdio: 'inherit' });
  const [code] = await once(child, 'close').catch((error: unknown) => Promise.reject(notStarted(program, error)));
  return typeof code === 'number' ? code : EXIT.interrupted;
}

/** The command as it can be pasted into a shell. */
function commandLine({ command }: OpenedSession, cwd: string): string {
  const line = command.map(shellWord).join(' ');
  return cwd === process.cwd() ? line : `cd ${shellWord(cwd)} && ${line}`;
}

function shellWord(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
