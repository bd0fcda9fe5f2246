import { createReadStream } from 'node:fs';
import { HubError } from '../../hub/base/error.js';
import type { Sha256 } from '../../hub/protocol/node.js';
import { command } from '../command_line/command.js';
import type { Context } from '../command_line/command_context.js';
import { EXIT, reasonOf } from '../output/failure.js';
import { cleanLine } from '../render/text/clean.js';
import { count, shortId } from '../render/text/ids_and_counts.js';
import { treeWords } from '../render/tree/tree_list.js';
import { HISTORY_SOURCES } from '../transfer/history/history_sources.js';
import { printHistoryImport } from '../transfer/history/print_import.js';
import { createFilesImport, NO_FILES } from '../transfer/import_files.js';
import { readImport } from '../transfer/import_reader.js';
import { type Imported, importRecords, refuseDamaged } from '../transfer/import_records.js';
import { importTranscript } from '../transfer/import_transcript.js';
import type { Skipped } from '../transfer/sound_records.js';
import { untrustedAmong } from '../turn/settings_from_file.js';

const NOT_IN_IT =
  'This is a transcript: times, models, thinking, images, stored outputs and other branches are not in it.';

const SKIPPED_TOLD = 10;

const WHAT_IT_TAKES = 'name a file that export wrote, or say whose sessions you mean with --from';

export const importCommand = command({
  name: 'import',
  summary: 'Take in conversations: what export wrote, a transcript, or the sessions of another agent.',
  details:
    'With --from the sessions of another agent become conversations, with their forks and with the agents that they have started: those of the project that you are in, from the folder where that agent keeps them, or from the file or folder that you name. What is here already is not doubled, so that it may be called again and again. From a file of export the same ids, hashes and order come back, with the stored outputs; a line that is damaged is skipped, with what stands on it, and told. A transcript becomes a new conversation each time. Which folder models may change is not taken from the file, unless it is the one that you are in; nor is what it tells them: system prompt, level and model.',
  arguments: [
    {
      name: 'file',
      required: false,
      description: 'the file, or - for standard input; with --from a file or folder, or nothing',
      completes: 'file',
    },
  ],
  values: [
    {
      name: 'from',
      value: 'agent',
      choices: [...HISTORY_SOURCES.keys()],
      description: 'whose sessions they are',
    },
  ],
  flags: [
    {
      name: 'keep-projects',
      short: null,
      description: 'models work in the folders that the file names, and may change them: for files of your own',
    },
    {
      name: 'files',
      short: null,
      description: 'takes in what export --files recorded of the project, for the one that you are in',
    },
    {
      name: 'trust-settings',
      short: null,
      description:
        'models are told what the file says: system prompt, tools, level, model; else you are asked before the first turn',
    },
    {
      name: 'every-project',
      short: null,
      description: 'with --from: the sessions of all projects, not only of this one',
    },
  ],
  examples: [
    { line: 'cognition import talk.jsonl', does: 'takes in what that file holds' },
    {
      line: 'cognition import ~/.cognition/sessions/2026-01-31-12-00-00-a1b2c3d4.json',
      does: 'reads a transcript back',
    },
    { line: 'cognition import --from claude', does: 'takes in what Claude Code did in this project' },
    { line: 'ssh other cognition export @ --format jsonl | cognition import -', does: 'copies from another machine' },
  ],
  async run(input, context) {
    const from = input.value('from');
    const file = input.argument('file');
    const source = from === undefined ? undefined : HISTORY_SOURCES.get(from);
    if (source !== undefined) {
      const choice = { source, path: file ?? null, isEveryProject: input.flag('every-project') };
      const all = await printHistoryImport(
        context,
        { ...choice, keepsProjects: input.flag('keep-projects') },
        importedText,
      );
      if (context.json) await printImported(context, all);
      return EXIT.ok;
    }
    if (file === undefined) throw new HubError('invalid_params', 'there is nothing to import', { hint: WHAT_IT_TAKES });
    const read = await readImport(bytesOf(file));
    const all: Imported[] = [];
    for await (const imported of await importsOf(context, read, input)) {
      all.push(imported);
      await tellImported(context, imported, input);
    }
    if (read.kind === 'transcript') context.note(NOT_IN_IT);
    else noteSkipped(context, read.skipped);
    if (context.json) await printImported(context, all);
    return EXIT.ok;
  },
});

/** What a person has said beside the file. */
interface Options {
  flag(name: 'keep-projects' | 'files' | 'trust-settings'): boolean;
}

async function importsOf(
  context: Context,
  read: Awaited<ReturnType<typeof readImport>>,
  input: Options,
): Promise<AsyncIterable<Imported> | Imported[]> {
  const client = await context.client();
  const here = context.project;
  if (read.kind === 'transcript') return [await importTranscript(client, read.transcript, here)];
  return importRecords(client, read.records, {
    projects: input.flag('keep-projects') ? 'any' : { only: here },
    onDamaged: (sha256) => noteDamaged(context, read.skipped, sha256),
    files: input.flag('files') ? createFilesImport(client) : NO_FILES,
    here,
  });
}

async function tellImported(context: Context, imported: Imported, input: Options): Promise<void> {
  if (!context.json) await context.out.write(`${importedText(imported)}\n`);
  noteName(context, imported);
  noteProject(context, imported);
  if (input.flag('files')) context.note(filedText(imported));
  await settleSettings(context, imported, input.flag('trust-settings'));
}

/** An output that lost a line is left out like that line. */
function noteDamaged(context: Context, { count: skipped }: Skipped, sha256: Sha256): void {
  if (skipped === 0) refuseDamaged(sha256);
  context.note(`The stored output ${shortId(sha256)} is not whole in the file, and left out.`);
}

function noteSkipped(context: Context, { count: all, first }: Skipped): void {
  if (all === 0) return;
  for (const { line, reason } of first.slice(0, SKIPPED_TOLD)) context.note(`Skipped line ${line}: ${reason}.`);
  if (all > SKIPPED_TOLD) context.note(`${count(all - SKIPPED_TOLD, 'more line')} skipped.`);
}

function printImported(context: Context, all: readonly Imported[]): Promise<void> {
  return context.printJson(all.map(({ settings: _, ...imported }) => imported));
}

function importedText({ tree, added, present }: Imported): string {
  const label = `${shortId(tree.id)}  ${treeWords(tree)}`;
  if (added === 0) return `Nothing new: ${label} is here already`;
  return `Imported ${label}: ${count(tree.node_count, 'node')}${present > 0 ? ', some of which were here already' : ''}`;
}

function filedText({ filed, tree }: Imported): string {
  if (filed === 0) return `No recorded files of ${treeWords(tree)} are in the file.`;
  return `The files of ${count(filed, 'node')} came along; nothing in your folder has changed: \`files restore\` and \`/goto\` bring them.`;
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

/** What the file tells models counts when the person says so: now, or before the first turn. */
async function settleSettings(context: Context, { settings }: Imported, areTrusted: boolean): Promise<void> {
  const client = await context.client();
  const untrusted = await untrustedAmong(client, settings);
  if (areTrusted) for (const sha256 of untrusted) await client.call('loom.settings_trust', { sha256 });
  else if (untrusted.length > 0)
    context.note(
      'What the file tells a model (system prompt, level, model) is not used before you say so: --trust-settings',
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
