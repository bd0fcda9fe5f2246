import { HubError } from '../../base/error.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import { isWithin } from '../../base/is_within.js';
import type { ErrorKind } from '../../protocol/errors.js';
import type { NodeId } from '../../protocol/node.js';
import type { Policy } from '../../protocol/policy.js';
import type { RunningTurn } from '../turn/running_turn.js';

/** Watches what a turn leaves in its project, for the person. */
export interface ProjectWatch {
  /** Begins to record the project's files as the turn finds them, while the model is asked. */
  prepare(): ProjectWatch;
  /** To be awaited before what may change something; watches, and records the project's files, from the first time on. */
  begin(): Promise<void>;
  /** A step ended with a node, for which the files are recorded when it may have changed them. Only the next `begin` waits for that. */
  stepEnded(node: NodeId): void;
  /** Takes over what was committed. Resolves with what to tell; never fails. */
  end(): Promise<readonly string[]>;
}

interface WatchedTurn {
  turn: Pick<RunningTurn, 'id' | 'tree' | 'errand'>;
  /** Where it began. */
  node: NodeId;
  project: string;
  policy: Policy;
}

/** Nothing is watched for a sub-session without a copy, nor where a turn changes nothing; of one that runs as the person only the files are recorded. */
export function createProjectWatch(
  reach: InternalCaller,
  { turn, node: start, project, policy }: WatchedTurn,
): ProjectWatch {
  const copy = policy.kind === 'contained' ? (policy.copy?.turn ?? null) : null;
  const { tree } = turn;
  // The parent of a sub-session watches, unless it has a copy of its own.
  const isWatched = turn.errand === null || copy === turn.id;
  // In a copy nothing is committed.
  const writable = isWatched && policy.kind === 'contained' ? policy.writable : [];
  const watched = copy === null ? writable : [];
  const folders = watched.filter((path) => !watched.some((one) => one !== path && isWithin(path, one)));
  const isRecorded = isWatched && (policy.kind === 'open' || writable.length > 0);
  let begun: Promise<readonly string[]> | null = null;
  let recorded: Promise<void> | null = null;
  let hasBegun = false;
  let mayHaveChanged = false;
  const notRecorded: string[] = [];
  const toldOf = async (method: 'git.watch' | 'git.take_over', folder: string): Promise<string[]> => {
    const lines = await callHub(reach, method, { project: folder }).then(
      (answer) => answer.told,
      (error: unknown) => wordsOf(error, 'what the model has committed was not taken over'),
    );
    return folder === project ? lines : lines.map((line) => `${folder}: ${line}`);
  };
  const told = async (method: 'git.watch' | 'git.take_over'): Promise<readonly string[]> =>
    (await Promise.all(folders.map((folder) => toldOf(method, folder)))).flat();
  const record = async (node: NodeId, moment: 'before' | 'after'): Promise<void> => {
    // A turn that changes nothing has nothing to tell.
    const params = { project, tree, node, moment, tells: moment === 'after', copy };
    const lines = await callHub(reach, 'files.snapshot', params).then(
      (answer) => answer.told,
      (error: unknown) => wordsOf(error, 'the files of the project were not recorded'),
    );
    notRecorded.push(...lines);
  };
  const watch: ProjectWatch = {
    prepare() {
      if (isRecorded) recorded ??= record(start, 'before');
      return watch;
    },
    async begin() {
      if (folders.length > 0) begun ??= told('git.watch');
      watch.prepare();
      await Promise.all([begun, recorded]);
      hasBegun = true;
      mayHaveChanged = true;
    },
    stepEnded(node) {
      if (isRecorded && mayHaveChanged) recorded = record(node, 'after');
      mayHaveChanged = false;
    },
    async end() {
      if (hasBegun) await recorded;
      recorded = null;
      const before = (await begun) ?? [];
      const after = begun === null ? [] : await told('git.take_over');
      begun = null;
      return [...new Set([...before, ...after, ...notRecorded.splice(0)])];
    },
  };
  return watch;
}

/** Nothing ran in a sandbox, or in a folder that is not there. */
const QUIET: readonly ErrorKind[] = ['sandbox_unavailable', 'not_found'];

/** Nothing for what need not be told. */
function wordsOf(error: unknown, what: string): string[] {
  if (error instanceof HubError && QUIET.includes(error.kind)) return [];
  return [`${what}: ${error instanceof Error ? error.message : String(error)}`];
}
