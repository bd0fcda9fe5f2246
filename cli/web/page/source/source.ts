import type { Node, SkeletonNode, Tree } from '../../../../hub/protocol/node.js';
import type { Question } from '../../../../hub/protocol/question.js';
import type { Columns } from '../core/tree_columns.js';

/** A node as a row shows it. */
export type RowLine = Pick<SkeletonNode, 'id' | 'seq' | 'role' | 'tool' | 'preview' | 'exit_code'>;

/** A conversation to choose. */
export type TreeChoice = Pick<
  Tree,
  'id' | 'name' | 'title' | 'project' | 'updated_at_ms' | 'node_count' | 'branch_count'
>;

/** A name at a node, by its `seq`. */
export interface MarkPlace {
  name: string;
  seq: number;
}

/** A place that was found; `matches` are start and end within the snippet. */
export interface PageHit {
  seq: number;
  role: SkeletonNode['role'];
  snippet: string;
  matches: readonly (readonly [number, number])[];
}

/** What the request behind an answer used. */
export interface NodeCost {
  price_microdollars: number;
  /** Cached ones included. */
  tokens_in: number;
  tokens_out: number;
  tokens_cached: number;
  model: string;
}

/** A question of a turn that waits. */
export type TurnQuestion = Pick<Question, 'id' | 'kind' | 'question' | 'options'>;

/** A turn that runs, or waits for a person. */
export interface LiveTurn {
  turn: string;
  /** The `seq` of the node that it has come to. */
  tip: number;
  model: string;
  /** Whose hub has it; null for this one, which alone knows what it costs. */
  by: string | null;
  activity: 'waiting' | 'thinking' | 'answering' | 'calling' | 'asking';
  started_at_ms: number;
  tokens: number;
  price_microdollars: number;
  /** What the answer under way says so far. */
  text: string;
  /** The call under way. */
  call: { tool: string; title: string } | null;
  questions: readonly TurnQuestion[];
}

/** One turn of the newest race. */
export interface RaceLane {
  number: number;
  /** The model. */
  label: string;
  turn: string;
  state: 'starting' | 'running' | 'waiting' | 'done' | 'stopped' | 'interrupted' | 'failed';
  /** The exit code of the check; null before it has ended. */
  check: number | null;
  hasCheck: boolean;
  /** The `seq` of the node where its branch ends. */
  tip: number;
  files: number;
  added: number;
  removed: number;
  tokens: number;
  /** Null for an unknown price. */
  price_microdollars: number | null;
  seconds: number;
  /** Whether something still happens in it by itself. */
  isUnderWay: boolean;
}

/** What a live source tells. Each may be called at any time; nodes in any order, each at least once. */
export interface LiveListener {
  node(node: Node, parent: number | null): void;
  /** All turns that run now. */
  running(turns: readonly LiveTurn[]): void;
  marks(marks: readonly MarkPlace[]): void;
  /** What requests cost has changed. */
  costs(): void;
  /** A turn began, went on or ended: so may the lane of a race. */
  stepped(): void;
  /** A turn has failed: why, as a sentence. */
  failed(reason: string): void;
  /** Nodes are there no more, or again: the tree is read anew. */
  replaced(reason: string): void;
  /** Why nothing comes at the moment, as a sentence; null when it comes again. */
  away(reason: string | null): void;
}

/** A file that a branch changed. */
export interface ChangedFile {
  path: string;
  status: 'added' | 'changed' | 'removed';
  lines_added: number | null;
  lines_removed: number | null;
  /** The difference as git writes it; null where it is too large or binary. */
  patch: string | null;
}

/** Nodes that follow one another on a path, from the top. */
export interface PathPart {
  seqs: readonly number[];
  /** How many nodes stand above the first. */
  depth: number;
}

/** What a person does. Each resolves when the process has done it, and rejects with a sentence. */
export interface Writing {
  /** Says something at a node, where a branch begins when it has children; resolves to the `seq` of the message. */
  say(at: number, text: string): Promise<number>;
  /** Begins a branch at a node with a message, also where something answers there now; resolves to its `seq`. */
  fork(at: number, text: string): Promise<number>;
  steer(turn: string, text: string): Promise<void>;
  stop(turn: string): Promise<void>;
  answer(turn: string, answer: { question: string; text: string }): Promise<void>;
  /** Names a node; an empty name takes its names away. */
  mark(at: number, name: string): Promise<void>;
  /** Archives the branch that begins at a node. */
  archive(at: number): Promise<void>;
}

/** Where the page takes a tree from: a hub, or the file that the page is. */
export interface Source {
  kind: 'hub' | 'file';
  /** What a person calls the tree. */
  name: string;
  /** Adds all nodes to the columns. */
  load(columns: Columns): Promise<void>;
  /** All conversations of the home, those of this project first; a file has one. */
  trees(): Promise<readonly TreeChoice[]>;
  /** Goes to another conversation. */
  open(tree: string): void;
  /** OutlineRows of nodes, in any order; those that are not known are left out. */
  lines(seqs: readonly number[]): Promise<readonly RowLine[]>;
  /** Whole nodes, from the top. */
  nodes(part: PathPart): Promise<readonly Node[]>;
  marks(): Promise<readonly MarkPlace[]>;
  /** At most 100 places, the newest first. */
  search(query: string): Promise<readonly PageHit[]>;
  /** By the `seq` of the answer. */
  costs(): Promise<ReadonlyMap<number, NodeCost>>;
  /** The node where the person stands; null when nobody knows. */
  here(): Promise<number | null>;
  /** Tells what happens from now on, until the returned function is called. */
  live(listener: LiveListener): () => void;
  /** The lanes of the newest race; none where there was no race. */
  race(): Promise<readonly RaceLane[]>;
  /** The files that a branch changed from a node on; null where nothing was recorded. */
  files(from: number, to: number): Promise<readonly ChangedFile[] | null>;
  /** Null where the page can only read. */
  write: Writing | null;
}
