import { fileURLToPath } from 'node:url';
import { HISTORY_SOURCES, type HistorySource } from '../../../../cli/transfer/history/history_sources.js';
import { documentRecords, lineRecords } from '../../../../cli/transfer/history/json_records.js';
import { type FileProblems, historiesIn, noProblems } from '../../../../cli/transfer/history/read_histories.js';
import { listSessions } from '../../../../cli/transfer/history/session_files.js';
import type { History } from '../../../../tools/agents/history/history.js';

/** Sessions as the programs themselves have written them, against a scripted model. */
export const SAMPLES = fileURLToPath(new URL('samples', import.meta.url));

function sourceOf(name: string): HistorySource {
  const source = HISTORY_SOURCES.get(name);
  if (source === undefined) throw new RangeError(`no source ${name}`);
  return source;
}

/** All histories below a folder, with what could not be read. */
export async function readFolder(
  name: string,
  folder: string,
): Promise<{ histories: History[]; problems: FileProblems[] }> {
  const source = sourceOf(name);
  const files = listSessions(source, folder, null);
  const histories: History[] = [];
  const problems: FileProblems[] = [];
  for (const file of files.ordered) {
    const of = noProblems();
    for await (const history of historiesIn({ source, files }, file, of)) histories.push(history);
    problems.push(of);
  }
  return { histories, problems };
}

/** Reads bytes as a file of this program. */
export async function readBytes(name: string, bytes: Uint8Array, isDocument: boolean) {
  const problems = noProblems();
  const records = isDocument ? documentRecords(chunks([bytes]), problems) : lineRecords(chunks([bytes]), problems);
  const histories: History[] = [];
  for await (const history of sourceOf(name).read(records)) histories.push(history);
  return { turns: histories.flatMap(({ turns }) => turns), problems };
}

export async function* chunks<T>(all: Iterable<T>): AsyncGenerator<T> {
  yield* all;
}
