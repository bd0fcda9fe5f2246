import type { ToolAnswer } from '../../hub/protocol/methods/tool_methods.js';
import { command, NODE_WORDS, TREE } from '../command_line/command.js';
import { treeToChange } from '../input/other_folder.js';
import { EXIT } from '../output/failure.js';
import { positionOf } from '../position/position.js';
import { remember } from '../position/remember.js';
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
    { line: 'cognition attach @ src/lexer.ts', does: 'adds a file' },
    { line: 'cognition attach @ https://example.org/spec', does: 'adds a page, as text' },
    {
      line: 'cognition attach @ "postgres:shop:SELECT * FROM orders LIMIT 20"',
      does: 'adds rows of the database that the configuration calls shop',
    },
  ],
  async run(input, context) {
    const what = input.required('what');
    const attachment = attachmentFrom(what);
    const tree = await treeToChange(context, input.required('tree'), 'read');
    const node = await positionOf(context, tree, input.value('at'));
    const answer = await attach(await context.client(), attachment, { tree: tree.id, node, project: context.project });
    const made = answer.node;
    if (made !== null) await remember(context, (session) => session.move(tree.id, made.id));
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

/** What came, where it says: lines, or rows and whether there are more, and the status of a page that is not there. */
function countsIn(metadata: unknown): string[] {
  const { lines, rows, cut, status }: Record<string, unknown> = Object(metadata);
  return [
    ...(typeof lines === 'number' ? [count(lines, 'line')] : []),
    ...(typeof rows === 'number' ? [`${cut === null ? '' : 'the first '}${count(rows, 'row')}`] : []),
    ...(typeof rows === 'number' && cut !== null ? ['there are more'] : []),
    ...(typeof status === 'number' && status >= 400 ? [`status ${status}`] : []),
  ];
}
