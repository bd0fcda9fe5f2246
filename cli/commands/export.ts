import { HubError } from '../../hub/base/error.js';
import type { NodeId, Tree } from '../../hub/protocol/node.js';
import { CURRENT_TREE, command, NODE_WORDS } from '../command_line/command.js';
import type { Context } from '../command_line/command_context.js';
import { intoFile } from '../files/write_whole_file.js';
import { EXIT } from '../output/failure.js';
import { jsonText } from '../output/json_text.js';
import type { Sink } from '../output/sink.js';
import { positionOf } from '../position/position.js';
import { workFolder } from '../position/project_folder.js';
import { findTree, rootOf } from '../position/reference.js';
import type { DocumentFormat } from '../render/export/document.js';
import { writeBranch, writeTree } from '../transfer/export_document.js';
import { LAST_RECORD, recordsOf } from '../transfer/export_records.js';

const FORMATS = ['text', 'markdown', 'html', 'json', 'jsonl'] as const;

export const exportCommand = command({
  name: 'export',
  summary: 'Write a conversation as text, Markdown, HTML or JSON.',
  details:
    'Text, Markdown and HTML hold the branch up to where you stand, or with --all every branch. JSON and JSONL hold the whole tree with its stored outputs and sub-sessions: import gives back the same tree.',
  arguments: [
    CURRENT_TREE,
    { name: 'node', required: false, description: `the end of the branch: ${NODE_WORDS}`, completes: 'node' },
  ],
  flags: [
    { name: 'all', short: null, description: 'every branch' },
    { name: 'no-outputs', short: null, description: 'leave out what calls brought; for html' },
    {
      name: 'files',
      short: null,
      description: 'with what is recorded of the project at its nodes; for json and jsonl',
    },
    { name: 'force', short: null, description: 'replace the file that --output names' },
  ],
  values: [
    { name: 'format', value: 'format', choices: FORMATS, description: 'text when left out' },
    {
      name: 'output',
      value: 'file',
      choices: null,
      description: 'write this file; - is standard output, as when left out',
    },
  ],
  examples: [
    { line: 'cognition export', does: 'prints the branch that you are on' },
    { line: 'cognition export @ --format html --output talk.html', does: 'writes one page that needs nothing else' },
    { line: 'cognition export @ --format jsonl --output talk.jsonl', does: 'writes all of it, for import' },
    {
      line: 'cognition export @ --format jsonl --files --output talk.jsonl',
      does: 'with the files that the project had at each node',
    },
  ],
  async run(input, context) {
    const format = FORMATS.find((one) => one === input.value('format')) ?? (context.json ? 'json' : 'text');
    const tree = await findTree(context, input.argument('tree') ?? '@', 'read');
    const write = await writerFor(context, tree, {
      format,
      node: input.argument('node'),
      all: input.flag('all'),
      hasOutputs: !input.flag('no-outputs'),
      hasFiles: input.flag('files'),
    });
    const target = input.value('output');
    if (target === undefined || target === '-') await write(context.out);
    else {
      await intoFile(target, { force: input.flag('force'), project: context.project }, write);
      context.note(`Wrote ${target}`);
    }
    return EXIT.ok;
  },
});

interface ExportOptions {
  format: (typeof FORMATS)[number];
  node: string | undefined;
  all: boolean;
  hasOutputs: boolean;
  hasFiles: boolean;
}

type Writer = (sink: Sink) => Promise<void>;

/** What the options come to, before any file is written. */
async function writerFor(context: Context, tree: Tree, options: ExportOptions): Promise<Writer> {
  refuseOdd(options);
  const client = await context.client();
  const { format } = options;
  switch (format) {
    case 'json':
    case 'jsonl': {
      const filesOf = options.hasFiles ? workFolder(tree, context.project) : null;
      const records = recordsOf(tree, { client, undamaged: false, filesOf, note: context.note });
      return (sink) => (format === 'jsonl' ? writeLinesOf(sink, records) : writeDocument(sink, records));
    }
    case 'html': {
      const end = options.all ? null : await endOf(context, tree, options.node);
      const here = end ?? (await positionOf(context, tree, undefined).catch(() => null));
      const { writePage } = await import('../transfer/export_page.js');
      const page = { client, tree, end, here, hasOutputs: options.hasOutputs };
      return (sink) => writePage(page, sink);
    }
    case 'text':
    case 'markdown': {
      const document = await documentFormat(format);
      if (options.all) return (sink) => writeTree({ client, tree, sink }, document);
      const end = await endOf(context, tree, options.node);
      if (end === rootOf(tree.id)) context.note('There is nothing above the root: this document is empty.');
      return (sink) => writeBranch({ client, tree, sink }, end, document);
    }
  }
}

/** The node where the branch ends. Who names a file instead is told how one is written. */
async function endOf(context: Context, tree: Tree, node: string | undefined): Promise<NodeId> {
  try {
    return await positionOf(context, tree, node);
  } catch (error) {
    const isFile = node !== undefined && /[./]/.test(node) && error instanceof HubError && error.kind === 'not_found';
    if (!isFile) throw error;
    throw new HubError('not_found', error.message, { hint: `to write a file: --output ${node}`, cause: error });
  }
}

function refuseOdd({ node, all, format, hasOutputs, hasFiles }: ExportOptions): void {
  const isWhole = format === 'json' || format === 'jsonl';
  if (node !== undefined && (all || isWhole)) {
    throw new HubError(
      'invalid_params',
      `${all ? '--all' : `--format ${format}`} writes the whole tree, not the branch to a node`,
      { hint: 'leave out the node' },
    );
  }
  if (!hasOutputs && format !== 'html') {
    throw new HubError('invalid_params', `--no-outputs is for --format html, not for ${format}`);
  }
  if (hasFiles && !isWhole) {
    throw new HubError('invalid_params', `--files is for --format json and jsonl, not for ${format}`);
  }
}

async function documentFormat(format: 'text' | 'markdown'): Promise<DocumentFormat> {
  switch (format) {
    case 'text':
      return (await import('../render/export/text.js')).textFormat;
    case 'markdown':
      return (await import('../render/export/markdown.js')).markdownFormat;
  }
}

/** One record per line, and a last line that marks the end. */
export async function writeLinesOf(sink: Sink, records: AsyncIterable<unknown>): Promise<void> {
  for await (const record of records) await sink.write(`${jsonText(record)}\n`);
  await sink.write(`${jsonText(LAST_RECORD)}\n`);
}

/** The same records in one JSON document. */
async function writeDocument(sink: Sink, records: AsyncIterable<unknown>): Promise<void> {
  let opening = '{"format":"cognition-tree","version":1,"records":[\n';
  for await (const record of records) {
    await sink.write(opening + jsonText(record));
    opening = ',\n';
  }
  await sink.write('\n]}\n');
}
