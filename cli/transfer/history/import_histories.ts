import { HubError } from '../../../hub/base/error.js';
import { isWithin } from '../../../hub/base/is_within.js';
import type { Client } from '../../../hub/client/client.js';
import type { NodeId, Tree, TreeId } from '../../../hub/protocol/node.js';
import type { History } from '../../../tools/agents/history/history.js';
import { rootOf } from '../../position/reference.js';
import { NO_FILES } from '../import_files.js';
import { type Imported, importRecords, refuseDamaged } from '../import_records.js';
import { type HistoryFile, pathOf } from './history_files.js';
import { treeOfHistory } from './history_records.js';
import type { HistorySource } from './history_sources.js';
import type { ImportedFiles } from './imported_files.js';
import {
  callOfAgent,
  historiesIn,
  isOfProject,
  noProblems,
  problemTexts,
  withoutOpenAnswer,
} from './read_histories.js';
import { listSessions, type SessionFiles } from './session_files.js';

export interface HistoryImport {
  client: Client;
  source: HistorySource;
  /** The folder to read, or one file of it. */
  root: string;
  only: string | null;
  /** The project in which the person is: its conversations keep it. */
  project: string;
  /** Whether sessions of other projects are taken as well, and whether conversations keep those. */
  everyProject: { kept: boolean } | null;
  /** What need not be read again; null to read everything. */
  imported: ImportedFiles | null;
  nowMs(): number;
}

export type ImportEvent =
  | { kind: 'begun'; sessions: number; read: number; bytes: number }
  | { kind: 'tree'; imported: Imported; isAgent: boolean }
  | { kind: 'left_out'; why: 'unchanged' | 'elsewhere' | 'empty' }
  | { kind: 'problem'; path: string; text: string };

interface Work extends HistoryImport {
  files: SessionFiles;
  done: Set<HistoryFile>;
  /** Agents that came before those who have started them; null when they are taken as they are. */
  later: HistoryFile[] | null;
}

const AGENT_DEPTH_MAX = 10;
const SAVE_EACH = 200;
/** In a session that was written so lately calls may still run. */
const LIVE_MS = 10 * 60_000;
/** Failures that concern one conversation alone. */
const OF_ONE_TREE: readonly string[] = ['archived', 'conflict', 'invalid_params', 'limit'];

/** Imports the sessions of another program, one after the other: never is more held than one of them. */
export async function* importHistories(options: HistoryImport): AsyncGenerator<ImportEvent> {
  const files = listSessions(options.source, options.root, options.only);
  const later: HistoryFile[] = [];
  const work: Work = { ...options, files, done: new Set(), later };
  let [read, bytes] = [0, 0];
  for (const round of [files.ordered, later]) {
    for (const file of round) {
      if (work.done.has(file)) continue;
      yield { kind: 'begun', sessions: files.ordered.length, read, bytes };
      yield* importWanted(work, file);
      read += 1;
      bytes += file.sizeBytes;
      if (read % SAVE_EACH === 0) options.imported?.save();
    }
    work.later = null;
  }
  options.imported?.save();
}

async function* importWanted(work: Work, file: HistoryFile): AsyncGenerator<ImportEvent> {
  if (work.imported?.has(file) === true) {
    work.done.add(file);
    yield { kind: 'left_out', why: 'unchanged' };
  } else if (work.everyProject === null && !(await isOfProject(file, work.project))) {
    yield { kind: 'left_out', why: 'elsewhere' };
  } else {
    yield* importFile(work, file, { owner: null, depth: 0, calls: new Map() });
  }
}

type Owner = NonNullable<Tree['owner']>;

/** Where the tree of a file belongs. */
interface Place {
  owner: Owner | null;
  /** How many agents stand above. */
  depth: number;
  /** The nodes of all calls of the conversation that it belongs to. */
  calls: Map<string, Owner>;
}

async function* importFile(work: Work, file: HistoryFile, place: Place): AsyncGenerator<ImportEvent> {
  const problems = noProblems();
  const isLive = work.nowMs() - file.mtimeMs < LIVE_MS;
  let isWhole = true;
  for await (const whole of historiesIn(work, file, problems)) {
    if (isEarly(work, whole, place)) {
      work.later?.push(file);
      return;
    }
    work.done.add(file);
    const history = isLive ? withoutOpenAnswer(whole) : whole;
    isWhole &&= history === whole;
    yield* importHistory(work, { file, history }, place);
  }
  work.done.add(file);
  for (const text of problemTexts(problems)) yield { kind: 'problem', path: pathOf(file), text };
  if (isWhole) work.imported?.add(file);
}

/** Whether it is of an agent, and the session that has started it comes later. */
function isEarly({ files, done, later }: Work, { parentSession }: History, { owner }: Place): boolean {
  const parent = parentSession === null ? undefined : files.byId.get(parentSession);
  return later !== null && owner === null && parent !== undefined && !done.has(parent);
}

interface Reading {
  file: HistoryFile;
  history: History;
}

async function* importHistory(work: Work, reading: Reading, place: Place): AsyncGenerator<ImportEvent> {
  const { owner, calls } = place;
  const project = projectOf(work, reading.history);
  const made = treeOfHistory(reading.history, { source: work.source.name, owner, project });
  if (made === null) {
    yield { kind: 'left_out', why: 'empty' };
    return;
  }
  try {
    const options = { projects: 'any', onDamaged: refuseDamaged, files: NO_FILES, here: work.project } as const;
    for await (const imported of importRecords(work.client, made.records, options)) {
      yield { kind: 'tree', imported, isAgent: owner !== null };
    }
  } catch (error) {
    if (!(error instanceof HubError) || !OF_ONE_TREE.includes(error.kind)) throw error;
    yield { kind: 'problem', path: pathOf(reading.file), text: error.message };
    return;
  }
  for (const [call, node] of made.calls) calls.set(call, { tree: made.tree, node });
  if (place.depth >= AGENT_DEPTH_MAX) return;
  yield* importNamedAgents(work, reading, place);
  yield* importAgentsBeside(work, reading, { tree: made.tree, place });
}

/** The person, never a file, decides in which folder models work: that of the project is theirs. */
function projectOf({ everyProject, project }: Work, { cwd }: History): string | null {
  if (everyProject === null || (cwd !== null && isWithin(cwd, project))) return project;
  return everyProject.kept ? cwd : null;
}

/** The agents that calls name. */
async function* importNamedAgents(work: Work, { history }: Reading, place: Place): AsyncGenerator<ImportEvent> {
  for (const { id, agent } of history.turns.flatMap(({ calls }) => calls)) {
    const file = agent === null ? undefined : work.files.byId.get(agent);
    if (file === undefined || work.done.has(file)) continue;
    yield* importFile(work, file, { ...place, owner: place.calls.get(id) ?? null, depth: place.depth + 1 });
  }
}

/** The agents whose files lie beside the session's; one may have been started by another. */
async function* importAgentsBeside(
  work: Work,
  { file }: Reading,
  { tree, place }: { tree: TreeId; place: Place },
): AsyncGenerator<ImportEvent> {
  const top: { tree: TreeId; node: NodeId } = { tree, node: rootOf(tree) };
  const left = new Map<HistoryFile, string | null>();
  for (const agent of work.files.agentsBeside(file)) {
    if (!work.done.has(agent)) left.set(agent, await callOfAgent(agent));
  }
  while (left.size > 0) {
    const known = [...left].filter(([, call]) => call !== null && place.calls.has(call));
    for (const [agent, call] of known.length > 0 ? known : [...left]) {
      left.delete(agent);
      const owner = place.calls.get(call ?? '') ?? top;
      yield* importFile(work, agent, { ...place, owner, depth: place.depth + 1 });
    }
  }
}
