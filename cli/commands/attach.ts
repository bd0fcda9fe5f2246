import type { ToolAnswer } from '../../hub/protocol/methods/tool_methods.js';
import { command, NODE_WORDS, TREE } from '../command_line/command.js';
import { EXIT } from '../output/failure.js';
import { positionOf } from '../position/position.js';
import { findTree } from '../position/reference.js';
import { cleanLine } from '../render/text/clean.js';
import { count, formatBytes, shortId } from '../render/text/ids_and_counts.js';
import { ATTACHMENT_FORMS, attach, attachmentFrom } from '../transfer/attachment.js';

export const attachCommand = command({
  name: 'attach',
  summary: 'Read a file, a page or the rows of a query into the conversation.',
  details:
    'What is read now stays as it is: `context` shows it, with --fresh what is there by then. Relative paths begin in the folder that you are in. Databases are those that the configuration names: `cognition config`.',
  arguments: [
    TREE,
    { name: 'what', required: true, description: ATTACHMENT_FORMS.join(', '), completes: 'attachment' },
  ],
  values: [{ name: 'at', value: 'node', choices: null, description: `add it below this node instead: ${NODE_WORDS}` }],
  examples: [
    { line: 'cognition attach @ file:src/lexer.ts', does: 'adds a file' },
    { line: 'cognition attach @ https://example.org/spec', does: 'adds a page, as text' },
    {
      line: 'cognition attach @ "postgres:shop:SELECT * FROM orders LIMIT 20"',
      does: 'adds rows of the database that the configuration calls shop',
    },
  ],
  async run(input, context) {
    const what = input.required('what');
    const attachment = attachmentFrom(what);
    const tree = await findTree(context, input.required('tree'), 'read');
    const node = await positionOf(context, tree, input.value('at'));
    const answer = await attach(await context.client(), attachment, { tree: tree.id, node });
    if (answer.node !== null) await context.session.move(tree.id, answer.node.id);
    if (context.json) await context.printJson({ ...answer.node, branched: answer.branched });
    else await context.out.write(`${attachedText(what, answer)}\n`);
    return EXIT.ok;
  },
});

/** The source, its size, and the new position. */
function attachedText(what: string, { external, node, branched }: ToolAnswer): string {
  const { handle, output } = external;
  const size = [formatBytes(output?.total_bytes ?? 0), ...countsIn(handle.metadata)].join(', ');
  const nodePart = node === null ? '' : ` as ${shortId(node.id)}`;
  return `Attached ${cleanLine(what)} (${size})${nodePart}${branched ? ', a new branch' : ''}`;
}

function countsIn(metadata: unknown): string[] {
  if (typeof metadata !== 'object' || metadata === null) return [];
  return (['line', 'row'] as const).flatMap((noun) => {
    const number: unknown = Reflect.get(metadata, `${noun}s`);
    return typeof number === 'number' ? [count(number, noun)] : [];
  });
}
