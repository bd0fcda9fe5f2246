import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import type { CommandEvent } from '../../hub/protocol/methods/tool_methods.js';
import type { Node } from '../../hub/protocol/node.js';
import { command, NODE_WORDS } from '../command_line/command.js';
import type { Context } from '../command_line/command_context.js';
import { type ListedCommand, ownerOfOutput } from '../exec/output_owner.js';
import { outputPieces } from '../exec/stored_output.js';
import { EXIT } from '../output/failure.js';
import { type RawOutput, rawOutput } from '../output/raw_output.js';
import { nodeText } from '../render/node/node_text.js';
import { formatBytes, shortId } from '../render/text/ids_and_counts.js';

export const outputCommand = command({
  name: 'output',
  summary: 'Print all that a command, a file or a page gave.',
  details:
    'The bytes are those that were stored, exactly; on a terminal they are shown without control sequences. Of a command that is still running it prints what there is so far. With --json it tells what is stored instead.',
  arguments: [
    {
      name: 'node',
      required: true,
      description: `${NODE_WORDS}; or a running command, by 4 or more digits of its id`,
      completes: 'node',
    },
  ],
  flags: [{ name: 'follow', short: 'f', description: 'while the command is running, go on until it ends' }],
  values: [
    {
      name: 'tree',
      value: 'tree',
      choices: null,
      description: 'the conversation of the node; the current one without',
    },
  ],
  examples: [
    { line: 'cognition output @ | less', does: 'reads what the last command printed' },
    { line: 'cognition output 5e6f7a8b > build.log', does: 'writes it to a file' },
    { line: 'cognition output 5e6f7a8b --follow', does: 'watches a command that was started with --detach' },
  ],
  async run(input, context) {
    const owner = await ownerOfOutput(context, input.required('node'), input.value('tree'));
    if (context.json) {
      await context.printJson(owner.kind === 'node' ? storedIn(owner.node) : { running: true, ...owner.command });
      return EXIT.ok;
    }
    const out = rawOutput(process.stdout);
    if (owner.kind === 'running') await printRunning(context, owner.command, { out, follow: input.flag('follow') });
    else await printStored(context, owner.node, out);
    return EXIT.ok;
  },
});

function storedIn(node: Node): object {
  const { id, tree } = node;
  if (node.kind === 'text') return { running: false, id, tree, output: null };
  const { handle, output, exit_code, signal, duration_ms } = node.external;
  return { running: false, id, tree, handle, output, exit_code, signal, duration_ms };
}

async function printStored(context: Context, node: Node, out: RawOutput): Promise<void> {
  const output = node.kind === 'text' ? null : node.external.output;
  if (output === null) return printText(context, node);
  try {
    for await (const { data } of outputPieces(await context.client(), output.sha256)) {
      await out.write(Buffer.from(data, 'base64'));
    }
  } catch (error) {
    if (!(error instanceof HubError && error.kind === 'not_found')) throw error;
    throw new HubError('not_found', `the stored output of ${shortId(node.id)} is lost`, {
      hint: ['run: ', cliCommand('fsck'), '   (', cliCommand('context'), ' shows what a model was given of it)'],
      cause: error,
    });
  } finally {
    await out.end();
  }
  if (output.total_bytes <= output.size_bytes) return;
  context.note(
    `There were ${formatBytes(output.total_bytes)}; this is ${formatBytes(output.size_bytes)} of it, head and tail.`,
  );
}

/** Prints a node without a stored output: a note for a command that printed nothing, else the text of the node. */
async function printText(context: Context, node: Node): Promise<void> {
  if (node.kind === 'external' && node.external.handle.source === 'bash') {
    context.note(`${shortId(node.id)} printed nothing.`);
    return;
  }
  const what = node.kind === 'text' ? 'a message' : 'without a stored output';
  context.note(`${shortId(node.id)} is ${what}; this is its text:`);
  const text = nodeText(node);
  await context.out.write(text === '' ? '' : `${text}\n`);
}

interface Printing {
  out: RawOutput;
  follow: boolean;
}

async function printRunning(context: Context, running: ListedCommand, { out, follow }: Printing): Promise<void> {
  const { id, output_bytes: soFarBytes } = running;
  const enough = new AbortController();
  const onEvent = async (event: CommandEvent): Promise<void> => {
    if (event.kind === 'skipped') context.note(`(${formatBytes(event.bytes)} are not shown)`);
    if (event.kind !== 'output') return;
    const bytes = Buffer.from(event.data, 'base64');
    await out.write(follow ? bytes : bytes.subarray(0, Math.max(0, soFarBytes - event.offset)));
    if (!follow && event.offset + bytes.length >= soFarBytes) enough.abort();
  };
  if (follow || soFarBytes > 0) {
    const client = await context.client();
    await client
      .stream('bash.follow', { id }, { onEvent, signal: enough.signal })
      .catch((error: unknown) => unlessAborted(error, enough.signal));
  }
  await out.end();
  if (!follow) context.note(`${shortId(id)} is still running; --follow goes on with it.`);
}

function unlessAborted(error: unknown, signal: AbortSignal): void {
  if (!signal.aborted) throw error;
}
