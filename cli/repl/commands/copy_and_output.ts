import { HubError } from '../../../hub/base/error.js';
import type { Node, Sha256 } from '../../../hub/protocol/node.js';
import { ownerOfOutput } from '../../exec/output_owner.js';
import { outputPieces } from '../../exec/stored_output.js';
import { nodeText } from '../../render/node/node_text.js';
import { createCleaner } from '../../render/text/clean.js';
import { formatBytes, formatNumber, shortId } from '../../render/text/ids_and_counts.js';
import { showLong } from '../cli_commands/page_long.js';
import type { Repl, ReplCommand } from '../repl.js';
import { isMessage, upwards } from '../tree/ancestors.js';
import { nameIn } from '../tree/split_words.js';

export const copyCommand: ReplCommand = {
  name: 'copy',
  usage: '[node]',
  summary: 'put the last answer, or the text of a node, into the clipboard',
  completes: 'node',
  async run(argument, repl) {
    const node = argument === '' ? await lastAnswer(repl) : await nodeNamed(repl, nameIn(argument));
    const text = nodeText(node);
    const size = formatBytes(Buffer.byteLength(text));
    if (repl.front.copy(text)) await repl.front.show({ kind: 'note', text: `(copied ${size} of ${shortId(node.id)})` });
    else {
      throw new HubError(
        'limit',
        `${size} cannot be copied: there is no clipboard to reach here, or it takes no more`,
        {
          hint: `write it to a file: /export ${shortId(node.id)} --output talk.md`,
        },
      );
    }
  },
};

export const outputCommand: ReplCommand = {
  name: 'output',
  usage: '[node]',
  summary: 'all that the last command, or this one, printed: without excerpts',
  completes: 'node',
  async run(argument, repl) {
    const node = argument === '' ? await lastOutput(repl) : await nodeNamed(repl, nameIn(argument));
    const output = node.kind === 'external' ? node.external.output : null;
    if (output === null) return showLong(repl.front, `${nodeText(node).trimEnd()}\n`);
    await showOutput(repl, node, output.sha256);
  },
};

/** A screen shows no more lines of an output; a script gets all. */
const LINES_MAX = 10_000;

async function showOutput({ client, front }: Repl, { id }: Node, sha256: Sha256): Promise<void> {
  const decoder = new TextDecoder();
  const cleaner = createCleaner();
  let [kept, lines] = ['', 0];
  for await (const { data } of outputPieces(client, sha256)) {
    const text = cleaner.take(decoder.decode(Buffer.from(data, 'base64'), { stream: true }));
    lines += text.split('\n').length - 1;
    if (!front.attended) await front.show({ kind: 'text', text });
    else kept += text;
    if (front.attended && lines >= LINES_MAX) break;
  }
  if (lines < LINES_MAX || !front.attended) kept += cleaner.end();
  await showLong(front, kept);
  if (lines < LINES_MAX || !front.attended) return;
  const note = `(these are the first ${formatNumber(lines)} lines; all of them, in a shell: cognition output ${shortId(id)})`;
  await front.show({ kind: 'note', text: note });
}

async function nodeNamed(repl: Repl, reference: string): Promise<Node> {
  await repl.conversation().ensure();
  const owner = await ownerOfOutput(repl.context, reference, '@');
  if (owner.kind === 'node') return owner.node;
  throw new HubError('conflict', `${shortId(owner.command.id)} is still running`, { hint: 'wait for its end' });
}

async function lastOutput({ conversation, client }: Repl): Promise<Node> {
  const here = conversation();
  await here.ensure();
  for await (const node of upwards(client, here.place.position())) if (node.kind === 'external') return node;
  throw new HubError('not_found', 'no command has been run on this branch', { hint: 'run one: !ls' });
}

async function lastAnswer({ conversation, client }: Repl): Promise<Node> {
  const here = conversation();
  await here.ensure();
  for await (const node of upwards(client, here.place.position())) {
    if (node.role === 'assistant' && isMessage(node)) return node;
  }
  throw new HubError('not_found', 'there is no answer yet', { hint: 'name a node: /copy <node>' });
}
