import { constants } from 'node:os';
import { resolve } from 'node:path';
import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import type { CommandEvent, ToolAnswer } from '../../hub/protocol/methods/tool_methods.js';
import type { Policy } from '../../hub/protocol/policy.js';
import { command, type Input, NODE_WORDS, TREE } from '../command_line/command.js';
import type { Context } from '../command_line/command_context.js';
import { beginRecording, filesSettled, watchProject } from '../exec/project_watch.js';
import { type Execution, execute, startDetached, type Watching } from '../exec/run_command.js';
import { usablePolicy } from '../exec/sandbox_choice.js';
import { THERE, treeToWorkIn } from '../input/other_folder.js';
import { EXIT } from '../output/failure.js';
import { rawOutput } from '../output/raw_output.js';
import { newNodeId } from '../position/ids.js';
import { positionOf } from '../position/position.js';
import { projectFolder } from '../position/project_folder.js';
import { remember } from '../position/remember.js';
import { formatBytes, shortId } from '../render/text/ids_and_counts.js';
import { type AwaitRemotes, DURABLE, readDurable } from '../sharing/durable_remote.js';

const TIMEOUT_SECONDS_MAX = 604_800;
const SIGNALLED = 128;

export const execCommand = command({
  name: 'exec',
  summary: 'Run a shell command, and keep what it printed in the conversation.',
  details:
    'It runs in bash, as in your own shell: in your folder at first, and then where the command before it on the branch left off, with its exported variables, functions, aliases and umask while the hub runs. What it prints is shown while it runs, and kept whole for `output`. Its standard input is empty. The exit code is its own. Ctrl-C ends it, and its node says so.',
  arguments: [
    TREE,
    { name: 'command', required: true, description: 'what bash is to run, in quotes', completes: null },
  ],
  flags: [
    { name: 'sandbox', short: null, description: 'keep it in: it may only change the project, without the network' },
    { name: 'net', short: null, description: 'with --sandbox: it may use the network' },
    { name: 'detach', short: null, description: 'print its id at once and leave it running' },
    { name: 'reset', short: null, description: 'begin in a new shell: without what commands before it left there' },
    THERE,
  ],
  values: [
    DURABLE,
    { name: 'timeout', value: 'seconds', choices: null, description: 'end it after so long' },
    { name: 'cwd', value: 'folder', choices: null, description: 'run it in this folder instead' },
    { name: 'at', value: 'node', choices: null, description: `run it after this node instead: ${NODE_WORDS}` },
  ],
  examples: [
    { line: 'cognition exec @ "npm test"', does: 'runs the tests and keeps what they print' },
    { line: 'cognition exec @ "make" --sandbox --timeout 600', does: 'the same for something that one does not trust' },
    { line: 'cognition exec @ "npm start" --detach', does: 'leaves it running; see `output --follow`' },
  ],
  async run(input, context) {
    const execution = await executionFrom(input, context);
    const awaitRemotes = await durableOf(input, context, execution);
    if (execution.detached) return detach(context, execution);
    for (const line of await filesSettled(context)) context.note(line);
    const tellLeft = await watchProject(context, execution.policy);
    const { answer, interrupted } = await execute(context, execution, watchingFor(context, execution));
    await tellLeft();
    if (answer === null) {
      context.note('It was interrupted before it began.');
      return interrupted ?? EXIT.failure;
    }
    const { node } = answer;
    if (node !== null) {
      await remember(context, (session) => session.move(execution.tree.id, node.id));
      await beginRecording(context, node);
    }
    if (context.json) await context.printJson({ ...answer.node, branched: answer.branched });
    else if (answer.branched) context.note(`Added ${shortId(execution.id)}, a new branch`);
    if (interrupted === null) noteEnd(context, answer);
    // The terminal has echoed ^C: start a new line.
    else if (process.stderr.isTTY) context.note('');
    if (node !== null) await awaitRemotes(node.id);
    return exitCodeFrom(answer, interrupted);
  },
});

type ExecInput = Input<
  'tree' | 'command',
  'sandbox' | 'net' | 'detach' | 'reset' | 'there',
  'durable' | 'timeout' | 'cwd' | 'at'
>;

function durableOf(input: ExecInput, context: Context, { tree, detached }: Execution): Promise<AwaitRemotes> {
  const given = input.value('durable');
  if (given === undefined || !detached) return readDurable(context, given, tree.id);
  throw new HubError('invalid_params', '--durable waits for the end, which --detach does not', {
    hint: ['send it when it has ended: ', cliCommand('push', shortId(tree.id))],
  });
}

async function executionFrom(input: ExecInput, context: Context): Promise<Execution> {
  const text = input.required('command');
  if (text.trim() === '') {
    throw new HubError('invalid_params', 'the command is empty', { hint: [cliCommand('exec', '@', '"ls"')] });
  }
  const timeoutMs = timeoutFrom(input.value('timeout'));
  const folder = input.value('cwd');
  const cwd = folder === undefined ? null : resolve(folder);
  const requested = policyFrom(input, cwd);
  const isThere = input.flag('there') || cwd !== null;
  const tree = await treeToWorkIn(context, input.required('tree'), isThere);
  const parent = await positionOf(context, tree, input.value('at'));
  const policy = await usablePolicy(context, requested);
  return {
    tree,
    parent,
    id: newNodeId(),
    command: text,
    cwd,
    timeoutMs,
    policy,
    detached: input.flag('detach'),
    reset: input.flag('reset'),
    append: true,
  };
}

function timeoutFrom(text: string | undefined): number | null {
  if (text === undefined) return null;
  const seconds = text.trim() === '' ? Number.NaN : Number(text);
  if (seconds > 0 && seconds <= TIMEOUT_SECONDS_MAX) return Math.ceil(seconds * 1000);
  throw new HubError('invalid_params', `--timeout takes seconds, from 0.001 to ${TIMEOUT_SECONDS_MAX}, not ${text}`, {
    hint: [cliCommand('exec', '@', '"make"', '--timeout', '600')],
  });
}

function policyFrom(input: ExecInput, cwd: string | null): Policy {
  if (input.flag('sandbox')) {
    const project = projectFolder(cwd ?? process.cwd());
    return { kind: 'contained', network: input.flag('net'), writable: [project], readable: null };
  }
  if (!input.flag('net')) return { kind: 'open' };
  throw new HubError('invalid_params', '--net needs --sandbox', {
    hint: 'without a sandbox a command may use the network anyway',
  });
}

async function detach(context: Context, execution: Execution): Promise<number> {
  await startDetached(context, execution);
  const { id, tree, parent } = execution;
  if (context.json) await context.printJson({ id, tree: tree.id, parent });
  else await context.out.write(`${id}\n`);
  context.note(['It goes on; see it with: ', cliCommand('output', shortId(id), '--follow')]);
  return EXIT.ok;
}

/** Shows the output of the command; nothing with --json, because the node holds it. */
function watchingFor(context: Context, { cwd }: Execution): Watching {
  const outputs = { stdout: rawOutput(process.stdout), stderr: rawOutput(process.stderr) };
  const show = async (event: CommandEvent): Promise<void> => {
    if (event.kind === 'started') {
      if (cwd === null && event.cwd !== process.cwd()) context.note(`(in ${event.cwd})`);
    } else if (event.kind === 'skipped') context.note(`(${formatBytes(event.bytes)} are not shown)`);
    else if (!context.json) await outputs[event.from].write(Buffer.from(event.data, 'base64'));
  };
  return {
    onEvent: show,
    hurry() {
      outputs.stdout.hurry();
      outputs.stderr.hurry();
    },
    async end() {
      await outputs.stdout.end();
      await outputs.stderr.end();
    },
  };
}

/** Notes why a command was cut short. */
function noteEnd(context: Context, { external }: ToolAnswer): void {
  const reason: unknown = Reflect.get(Object(external.handle.metadata), 'reason');
  if (typeof reason === 'string') context.note(`(${reason})`);
  else if (external.signal !== null) context.note(`(ended by ${external.signal})`);
}

/** The exit code as a shell reports it: the command's own, or 128 plus the number of its signal. */
function exitCodeFrom({ external }: ToolAnswer, interrupted: number | null): number {
  if (interrupted !== null) return interrupted;
  if (external.exit_code !== null) return external.exit_code;
  const numbers: Record<string, number> = constants.signals;
  const number = external.signal === null ? undefined : numbers[external.signal];
  return number === undefined ? EXIT.failure : SIGNALLED + number;
}
