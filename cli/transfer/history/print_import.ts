import { statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { HubError } from '../../../hub/base/error.js';
import type { TreeId } from '../../../hub/protocol/node.js';
import type { Context } from '../../command_line/command_context.js';
import { clean, cleanLine } from '../../render/text/clean.js';
import { count, formatBytes, formatNumber } from '../../render/text/ids_and_counts.js';
import type { Imported } from '../import_records.js';
import type { HistorySource } from './history_sources.js';
import { type ImportEvent, importHistories } from './import_histories.js';
import { openImportedFiles } from './imported_files.js';

export interface HistoryChoice {
  source: HistorySource;
  /** A folder or file that the person names; else the program's own folder. */
  path: string | null;
  isEveryProject: boolean;
  keepsProjects: boolean;
}

const LISTED_MAX = 20;
const PROBLEMS_MAX = 20;
const PROGRESS_MS = 250;

interface Counts {
  sessions: number;
  listed: number;
  conversations: Set<TreeId>;
  agents: Set<TreeId>;
  nodes: number;
  problems: number;
  unchanged: number;
  elsewhere: number;
}

/** Imports the sessions of another program, and tells how far it is, what came and what could not be read. */
export async function printHistoryImport(
  context: Context,
  choice: HistoryChoice,
  line: (imported: Imported) => string,
): Promise<Imported[]> {
  const { root, only } = placeOf(choice);
  const isNamed = choice.path !== null;
  const counts: Counts = {
    ...{ sessions: 0, listed: 0, conversations: new Set<TreeId>(), agents: new Set<TreeId>(), nodes: 0 },
    ...{ problems: 0, unchanged: 0, elsewhere: 0 },
  };
  const all: Imported[] = [];
  const progress = openProgress(context);
  const events = importHistories({
    ...{ client: await context.client(), source: choice.source, root, only, project: context.project },
    everyProject: isNamed || choice.isEveryProject ? { kept: choice.keepsProjects } : null,
    // What a person names is read, whatever was read before.
    imported: isNamed ? null : openImportedFiles(context.paths.imports),
    nowMs: Date.now,
  });
  for await (const event of events) {
    if (event.kind === 'begun') progress.show(event);
    if (event.kind === 'tree' && context.json) all.push(event.imported);
    await tell(context, { event, counts, progress, line });
  }
  progress.clear();
  if (counts.sessions === 0) throw noSessions(choice.source);
  if (!context.json) await context.out.write(`${summaryOf(counts, choice)}\n`);
  return all;
}

/** The folder to read, or one file of its folder. */
function placeOf({ source, path }: HistoryChoice): { root: string; only: string | null } {
  const root = path === null ? source.folder() : resolve(path);
  if (root === null) {
    throw new HubError('invalid_params', `name the file of ${source.name} to import`, { hint: source.missing });
  }
  const stats = statSync(root, { throwIfNoEntry: false });
  if (stats === undefined) throw path === null ? noSessions(source) : new HubError('not_found', `there is no ${root}`);
  return stats.isFile() ? { root: dirname(root), only: basename(root) } : { root, only: null };
}

function noSessions({ name, missing }: HistorySource): HubError {
  return new HubError('not_found', `there are no sessions of ${name}`, { hint: missing });
}

interface Telling {
  event: ImportEvent;
  counts: Counts;
  progress: Progress;
  line(imported: Imported): string;
}

async function tell(context: Context, { event, ...telling }: Telling): Promise<void> {
  const { counts, progress } = telling;
  switch (event.kind) {
    case 'begun':
      counts.sessions = event.sessions;
      return;
    case 'left_out':
      if (event.why !== 'empty') counts[event.why] += 1;
      return;
    case 'problem':
      counts.problems += 1;
      if (counts.problems > PROBLEMS_MAX + 1) return;
      progress.clear();
      context.note(
        counts.problems > PROBLEMS_MAX
          ? 'Further problems are counted only.'
          : `${cleanLine(event.path)}: ${clean(event.text)}`,
      );
      return;
    case 'tree':
      await tellTree(context, { event, ...telling });
  }
}

async function tellTree(
  context: Context,
  { event, counts, progress, line }: Telling & { event: Extract<ImportEvent, { kind: 'tree' }> },
): Promise<void> {
  const { imported, isAgent } = event;
  counts.nodes += imported.added;
  if (imported.added === 0) return;
  counts[isAgent ? 'agents' : 'conversations'].add(imported.tree.id);
  if (isAgent || context.json || counts.listed === LISTED_MAX) return;
  counts.listed += 1;
  progress.clear();
  await context.out.write(`${line(imported)}\n`);
}

function summaryOf(counts: Counts, { source, isEveryProject }: HistoryChoice): string {
  const { sessions, conversations, agents, nodes, problems, unchanged, elsewhere } = counts;
  const parts = [
    nodes === 0 ? `Nothing new in ${count(sessions, 'session')} of ${source.name}` : `${count(nodes, 'new node')}`,
    ...(conversations.size > 0 ? [`in ${count(conversations.size, 'conversation')}`] : []),
    ...(agents.size > 0 ? [`and in ${count(agents.size, 'sub-session')}`] : []),
  ];
  const rest = [
    ...(unchanged > 0 ? [`${count(unchanged, 'session')} not changed since`] : []),
    ...(elsewhere > 0 && !isEveryProject ? [`${count(elsewhere, 'session')} of other projects: --every-project`] : []),
    ...(problems > 0 ? [count(problems, 'problem')] : []),
  ];
  return [parts.join(' '), ...rest].join('; ');
}

interface Progress {
  show(event: Extract<ImportEvent, { kind: 'begun' }>): void;
  clear(): void;
}

/** One line on a terminal that is written over; on anything else nothing. */
function openProgress(context: Context): Progress {
  const { stderr } = process;
  if (stderr.isTTY !== true || context.json) return { show: () => undefined, clear: () => undefined };
  let shownMs = Date.now();
  let isShown = false;
  return {
    show: ({ read, sessions, bytes }) => {
      if (Date.now() - shownMs < PROGRESS_MS) return;
      shownMs = Date.now();
      isShown = true;
      stderr.write(`\r\u001b[KReading: ${formatNumber(read)} of ${count(sessions, 'session')}, ${formatBytes(bytes)}`);
    },
    clear: () => {
      if (isShown) stderr.write('\r\u001b[K');
      isShown = false;
    },
  };
}
