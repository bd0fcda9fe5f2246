import { HubError } from '../../../hub/error.js';
import type { Node } from '../../../hub/protocol/node.js';
import { outputPieces } from '../../outputs.js';
import { createCleaner } from '../../render/clean.js';
import { nodeText } from '../../render/node_text.js';
import { formatBytes, shortId } from '../../render/words.js';
import { ownerOfOutput } from '../../whose_output.js';
import type { Repl, ReplCommand } from '../repl.js';
import { isMessage, upwards } from '../walk.js';

export const copyCommand: ReplCommand = {
  name: 'copy',
  usage: '[node]',
  summary: 'put the last answer, or the text of a node, into the clipboard',
  completes: 'node',
  async run(given, repl) {
    const node = given === '' ? await lastAnswer(repl) : await nodeNamed(repl, given);
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
  summary: 'all that a command printed, without excerpts',
  completes: 'node',
  async run(given, repl) {
    const node = await nodeNamed(repl, given === '' ? '@' : given);
    const output = node.kind === 'external' ? node.external.output : null;
    if (output === null) return repl.front.show({ kind: 'text', text: `${nodeText(node).trimEnd()}\n` });
    const decoder = new TextDecoder();
    const cleaner = createCleaner();
    for await (const { data } of outputPieces(repl.client, output.sha256)) {
      const text = cleaner.take(decoder.decode(Buffer.from(data, 'base64'), { stream: true }));
      await repl.front.show({ kind: 'text', text });
    }
    await repl.front.show({ kind: 'text', text: cleaner.end() });
  },
};

async function nodeNamed(repl: Repl, reference: string): Promise<Node> {
  await repl.conversation().ensure();
  const owner = await ownerOfOutput(repl.context, reference, '@');
  if (owner.kind === 'node') return owner.node;
  throw new HubError('conflict', `${shortId(owner.command.id)} is still running`, { hint: 'wait for its end' });
}

async function lastAnswer({ conversation, client }: Repl): Promise<Node> {
  const here = conversation();
  await here.ensure();
  for await (const node of upwards(client, here.place.position())) {
    if (node.role === 'assistant' && isMessage(node)) return node;
  }
  throw new HubError('not_found', 'there is no answer yet', { hint: 'name a node: /copy <node>' });
}
