import { createHash } from 'node:crypto';
import { isWithin } from '../../../hub/base/is_within.js';
import type { History, HistoryTurn } from '../../../tools/agents/history/history.js';
import { jsonOrText, textField } from '../../../tools/agents/history/json_fields.js';
import { count } from '../../render/text/ids_and_counts.js';
import { chunksOf, type HistoryFile, headOf } from './history_files.js';
import type { HistorySource } from './history_sources.js';
import { documentRecords, lineRecords, type ReadProblems } from './json_records.js';
import type { SessionFiles } from './session_files.js';

/** What could not be had of a file. */
export interface FileProblems extends ReadProblems {
  orphans: number;
  /** A session that it goes on from and that is not there. */
  missingBase: string | null;
}

export function noProblems(): FileProblems {
  return { broken: 0, tooLong: 0, cut: false, orphans: 0, missingBase: null };
}

const HEAD_BYTES = 64 * 1024;
/** How many forks of forks are followed. */
const BASES_MAX = 50;

interface Sessions {
  source: HistorySource;
  files: SessionFiles;
}

/** The histories in a file, one after the other, each with what it has of the session that it was forked from. */
export async function* historiesIn(
  { source, files }: Sessions,
  file: HistoryFile,
  problems: FileProblems,
): AsyncGenerator<History> {
  for await (const history of source.read(recordsOf(file, problems))) {
    const before = await turnsOfBase({ source, files }, history, problems);
    problems.orphans += history.orphans;
    yield { ...history, turns: [...before, ...turnsBelow(history.turns, before.at(-1) ?? null)] };
  }
}

function recordsOf(file: HistoryFile, problems: ReadProblems): AsyncGenerator<unknown> {
  const isDocument = /\.json$/.test(file.names.at(-1) ?? '');
  return isDocument ? documentRecords(chunksOf(file), problems) : lineRecords(chunksOf(file), problems);
}

/** The turns that a history does not repeat, since they are in the file of another session. */
async function turnsOfBase(
  { source, files }: Sessions,
  history: History,
  problems: FileProblems,
): Promise<HistoryTurn[]> {
  let turns: HistoryTurn[] = [];
  const followed = new Set<string>();
  for (let base = history.base; base !== null && followed.size < BASES_MAX; ) {
    const file = files.byId.get(base.session);
    if (file === undefined || followed.has(base.session)) {
      problems.missingBase = base.session;
      return turns;
    }
    followed.add(base.session);
    const { end } = base;
    base = null;
    for await (const one of source.read(recordsOf(file, noProblems()), end)) {
      turns = [...one.turns, ...turnsBelow(turns, one.turns.at(-1) ?? null)];
      base = one.base;
    }
  }
  return turns;
}

/** Turns with those at the root put below another turn. */
function turnsBelow(turns: HistoryTurn[], above: HistoryTurn | null): HistoryTurn[] {
  for (const turn of turns) turn.parent ??= above;
  return turns;
}

/** The problems of a file in words; none when all was had. */
export function problemTexts(problems: FileProblems): string[] {
  const { broken, tooLong, cut, orphans, missingBase } = problems;
  return [
    ...(broken > 0 ? [`${count(broken, 'record')} cannot be read and ${broken === 1 ? 'is' : 'are'} left out`] : []),
    ...(tooLong > 0 ? [`${count(tooLong, 'record')} too long to be read`] : []),
    ...(cut ? ['its end is missing; what was whole is imported'] : []),
    ...(orphans > 0 ? [`${count(orphans, 'record')} without the one before`] : []),
    ...(missingBase === null ? [] : [`it goes on from the session ${missingBase}, which is not there`]),
  ];
}

/** Whether a session was in a project, by the first folder that is told of it. */
export async function isOfProject(file: HistoryFile, project: string): Promise<boolean> {
  const [top = ''] = file.names;
  if (top === createHash('sha256').update(project).digest('hex')) return true;
  const named = (await headOf({ root: file.root, names: [top, '.project_root'] }, HEAD_BYTES)).trim();
  const cwd = named === '' ? cwdIn(await headOf(file, HEAD_BYTES)) : named;
  return cwd !== null && isWithin(cwd, project);
}

function cwdIn(head: string): string | null {
  const [, json] = /"cwd":\s*("(?:[^"\\]|\\.)*")/.exec(head) ?? [];
  const cwd = json === undefined ? null : jsonOrText(json);
  return typeof cwd === 'string' ? cwd : null;
}

/** The call that has started an agent, by the file beside that of the agent. */
export async function callOfAgent({ root, names }: HistoryFile): Promise<string | null> {
  const beside = (names.at(-1) ?? '').replace(/\.jsonl$/, '.meta.json');
  const head = await headOf({ root, names: [...names.slice(0, -1), beside] }, HEAD_BYTES);
  return textField(jsonOrText(head), 'toolUseId');
}

/** Takes away an answer whose calls are still running: with their results it would be another one. */
export function withoutOpenAnswer(history: History): History {
  const last = history.turns.at(-1);
  const isOpen = last?.kind === 'assistant' && last.calls.some(({ output }) => output === null);
  return isOpen ? { ...history, turns: history.turns.slice(0, -1) } : history;
}
