import { createReadStream } from 'node:fs';
import { HubError } from '../../hub/error.js';
import { command } from '../command.js';
import type { Context } from '../context.js';
import { EXIT, reasonOf } from '../failure.js';
import { recordsFrom } from '../import_reader.js';
import { type Imported, importRecords } from '../importing.js';
import { treeWords } from '../render/list.js';
import { count, shortId } from '../render/words.js';

export const importCommand = command({
  name: 'import',
  summary: 'Take in conversations that export wrote as JSON or JSONL.',
  details: 'The same ids, hashes and order come back, with the stored outputs. What is here already is not doubled.',
  arguments: [{ name: 'file', required: true, description: 'the file, or - for standard input', completes: 'file' }],
  examples: [
    { line: 'cognition import talk.jsonl', does: 'takes in what that file holds' },
    { line: 'ssh other cognition export @ --format jsonl | cognition import -', does: 'copies from another machine' },
  ],
  async run(input, context) {
    const records = recordsFrom(bytesOf(input.required('file')));
    const client = await context.client();
    const all: Imported[] = [];
    for await (const imported of importRecords(client, records)) {
      all.push(imported);
      if (!context.json) await context.out.write(`${sayImported(imported)}\n`);
      noteName(context, imported);
    }
    if (context.json) await context.printJson(all);
    return EXIT.ok;
  },
});

function sayImported({ tree, added, present }: Imported): string {
  const words = `${shortId(tree.id)}  ${treeWords(tree)}`;
  if (added === 0) return `Nothing new: ${words} is here already`;
  return `Imported ${words}: ${count(tree.node_count, 'node')}${present > 0 ? ', some of which were here already' : ''}`;
}

function noteName(context: Context, { tree, exportedName, added }: Imported): void {
  if (added === 0 || exportedName === null || tree.name === exportedName) return;
  context.note(`The name "${exportedName}" is taken here; it is called "${tree.name ?? ''}".`);
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
