import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import { isReadOnlyHome } from '../../hub/client/read_only_home.js';
import type { Hint } from '../../hub/protocol/errors.js';
import type { ResultOf } from '../../hub/protocol/methods/method_table.js';
import { command, TREE } from '../command_line/command.js';
import type { Context } from '../command_line/command_context.js';
import { intoFile } from '../files/write_whole_file.js';
import { EXIT } from '../output/failure.js';
import { workFolder } from '../position/project_folder.js';
import { findTree } from '../position/reference.js';
import { filesLine, renderReport } from '../render/reports/fsck_report.js';
import { count, formatBytes } from '../render/text/ids_and_counts.js';
import { checkRemote, refuseWithTree } from '../sharing/check_remote.js';
import { everyTree, type PortableRecord, recordsOf } from '../transfer/export_records.js';
import { writeLinesOf } from './export.js';

export const fsckCommand = command({
  name: 'fsck',
  summary: 'Check everything that is stored, and say what is damaged.',
  details:
    'Checks the database, every hash, every parent, every step, every stored output and what is recorded of projects. Exits 1 when anything is wrong. With --repair, packs of recorded files that are damaged are set aside in the home folder, what is whole in them is stored again, and, where nothing is lost, what nobody needs is removed; a pack from a backup put back into its folder completes the rest. With --remote it proves everything that is shared over a remote: the numbers, hashes, parents, steps and outputs; --repair then puts damaged entries back as they are here, if one owns the remote. With --rescue it also writes every conversation that is whole into a file for import, and with --files what is whole of the recorded files.',
  arguments: [{ ...TREE, required: false, description: 'only this conversation; all when left out' }],
  flags: [
    {
      name: 'repair',
      short: null,
      description: 'first repair what is recorded of projects, as far as that can be had',
    },
    { name: 'files', short: null, description: 'with --rescue: also what is recorded of projects' },
    { name: 'force', short: null, description: 'replace the file that --rescue names' },
  ],
  values: [
    {
      name: 'remote',
      value: 'name',
      choices: null,
      description: 'check what a remote has instead, as far as one may read it',
    },
    { name: 'rescue', value: 'file', choices: null, description: 'write what is undamaged into this file (JSONL)' },
  ],
  examples: [
    { line: 'cognition fsck', does: 'checks all conversations' },
    { line: 'cognition fsck --repair', does: 'sets damaged packs of files aside, and removes what nobody needs' },
    { line: 'cognition fsck --remote team', does: 'proves all that is shared over team' },
    { line: 'cognition fsck --rescue rescued.jsonl', does: 'also saves what is whole; import it into another home' },
    {
      line: 'cognition fsck --rescue rescued.jsonl --files',
      does: 'with the files of projects; import it with --files',
    },
  ],
  async run(input, context) {
    const [reference, target, remote] = [input.argument('tree'), input.value('rescue'), input.value('remote')];
    if (input.flag('files') && target === undefined) throw new HubError('invalid_params', '--files goes with --rescue');
    if (remote !== undefined) {
      refuseWithTree(reference);
      return checkRemote(context, remote, input.flag('repair'));
    }
    const tree = reference === undefined ? null : await findTree(context, reference, 'read');
    const client = await context.client();
    const stored = await client.call('loom.fsck', { tree: tree?.id ?? null });
    if (input.flag('repair')) await repairFiles(context, tree !== null);
    const files = tree === null ? await checkFiles(context) : null;
    const report = withFiles(stored, files);
    if (context.json) await context.printJson({ ...report, files });
    else await context.out.write(renderReport(report) + (files === null ? '' : filesLine(files)));
    const kept = { force: input.flag('force'), hasFiles: input.flag('files') };
    if (target !== undefined) await rescue(context, target, kept);
    return report.problem_count === 0 ? EXIT.ok : EXIT.failure;
  },
});

const LEFT_OUT: Hint = [
  'The recorded files of projects are not in it: they come along with --files, or whole with ',
  cliCommand('backup'),
];

async function repairFiles(context: Context, isOneTree: boolean): Promise<void> {
  if (isOneTree) throw new HubError('invalid_params', '--repair is for all that is recorded, not for one conversation');
  if (!existsSync(join(context.paths.home, 'files'))) return;
  const client = await context.client();
  const { aside, saved, removed } = await client.call('files.repair', {});
  if (aside > 0) {
    context.note(`${count(aside, 'damaged pack')} set aside; ${count(saved, 'content')} of them could be had again.`);
  }
  if (removed > 0) context.note(`Removed ${formatBytes(removed)} of files that nobody needs.`);
  if (aside === 0 && removed === 0) context.note('There was nothing to repair.');
}

/** What is wrong with recorded files; null where there are none, or they cannot be looked at without leaving a trace. */
async function checkFiles({ client, paths, note }: Context): Promise<ResultOf<'files.check'> | null> {
  if (!existsSync(join(paths.home, 'files'))) return null;
  if (!isReadOnlyHome(paths.home)) return (await client()).call('files.check', {});
  note('The home can only be read: the recorded files of projects were not checked, everything else was.');
  return null;
}

/** What is wrong with recorded files stands among the problems. */
function withFiles(report: ResultOf<'loom.fsck'>, files: ResultOf<'files.check'> | null): ResultOf<'loom.fsck'> {
  const problems = (files?.problems ?? []).map((problem) => ({ tree: null, node: null, seq: null, problem }));
  const problem_count = report.problem_count + problems.length;
  return { ...report, problems: [...report.problems, ...problems], problem_count };
}

async function rescue(
  context: Context,
  target: string,
  { force, hasFiles }: { force: boolean; hasFiles: boolean },
): Promise<void> {
  const client = await context.client();
  let trees = 0;
  async function* whole(): AsyncGenerator<PortableRecord> {
    for await (const tree of everyTree(client)) {
      const filesOf = hasFiles ? workFolder(tree, context.project) : null;
      yield* recordsOf(tree, { client, undamaged: true, filesOf, note: context.note });
      trees += 1;
    }
  }
  await intoFile(target, { force, project: context.project }, (sink) => writeLinesOf(sink, whole()));
  context.note(`Wrote what is whole of ${count(trees, 'tree')} to ${target}`);
  if (!hasFiles && existsSync(join(context.paths.home, 'files'))) context.note(LEFT_OUT);
}
