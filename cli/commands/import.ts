import { createReadStream } from 'node:fs';
import { HubError } from '../../hub/base/error.js';
import { command } from '../command_line/command.js';
import type { Context } from '../command_line/command_context.js';
import { EXIT, reasonOf } from '../output/failure.js';
import { cleanLine } from '../render/text/clean.js';
import { count, shortId } from '../render/text/ids_and_counts.js';
import { treeWords } from '../render/tree/tree_list.js';
import { readImport } from '../transfer/import_reader.js';
import { type Imported, importRecords } from '../transfer/import_records.js';
import { importTranscript } from '../transfer/import_transcript.js';

const NOT_IN_IT =
  'This is a transcript: times, models, thinking, images, stored outputs and other branches are not in it.';

export const importCommand = command({
  name: 'import',
  summary: 'Take in conversations that export wrote as JSON or JSONL, or a transcript.',
  details:
    'The same ids, hashes and order come back, with the stored outputs. What is here already is not doubled. A transcript becomes a new conversation each time. Which folder models may change is not taken from the file, unless it is the one that you are in.',
  arguments: [{ name: 'file', required: true, description: 'the file, or - for standard input', completes: 'file' }],
  flags: [
    {
      name: 'keep-projects',
      short: null,
      description: 'models work in the folders that the file names, and may change them: for files of your own',
    },
  ],
  examples: [
    { line: 'cognition import talk.jsonl', does: 'takes in what that file holds' },
    {
      line: 'cognition import ~/.cognition/sessions/2026-01-31-12-00-00-a1b2c3d4.json',
      does: 'reads a transcript back',
    },
    { line: 'ssh other cognition export @ --format jsonl | cognition import -', does: 'copies from another machine' },
  ],
  async run(input, context) {
    const read = await readImport(bytesOf(input.required('file')));
    const client = await context.client();
    const imports =
      read.kind === 'export'
        ? importRecords(client, read.records, input.flag('keep-projects') ? 'any' : { only: context.project })
        : [await importTranscript(client, read.transcript, context.project)];
    const all: Imported[] = [];
    for await (const imported of imports) {
      all.push(imported);
      if (!context.json) await context.out.write(`${importedText(imported)}\n`);
      noteName(context, imported);
      noteProject(context, imported);
    }
    if (read.kind === 'transcript') context.note(NOT_IN_IT);
    if (context.json) await context.printJson(all);
    return EXIT.ok;
  },
});

function importedText({ tree, added, present }: Imported): string {
  const label = `${shortId(tree.id)}  ${treeWords(tree)}`;
  if (added === 0) return `Nothing new: ${label} is here already`;
  return `Imported ${label}: ${count(tree.node_count, 'node')}${present > 0 ? ', some of which were here already' : ''}`;
}

function noteName(context: Context, { tree, exportedName, added }: Imported): void {
  if (added === 0 || exportedName === null || tree.name === exportedName) return;
  context.note(`The name "${exportedName}" is taken here; it is called "${tree.name ?? ''}".`);
}

function noteProject(context: Context, { tree, exportedProject, added }: Imported): void {
  if (added === 0 || exportedProject === null || tree.project === exportedProject) return;
  context.note(
    `Its project was ${cleanLine(exportedProject)}; models work in it where you are when you ask. Kept with: --keep-projects`,
  );
}

async function* bytesOf(file: string): AsyncGenerator<Uint8Array> {
  if (file === '-') {
    yield* process.stdin;
    return;
  }
  try {
    yield* createReadStream(file);
  } catch (error) {
    throw new HubError('invalid_params', `${file} cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}
