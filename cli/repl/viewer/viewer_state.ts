import type { Client } from '../../../hub/client/client.js';
import type { NodeId } from '../../../hub/protocol/node.js';
import { reasonOf } from '../../output/failure.js';
import type { Look } from '../../render/look/look.js';
import type { Completion } from '../editor/completion/menu.js';
import type { Quiet } from '../editor/keys/quiet.js';
import type { Terminal } from '../terminal/terminal.js';
import type { Finder } from './finder.js';
import type { Following } from './follow_turns.js';
import type { ModeFacts } from './leader.js';
import { NOT_ON_PATH, type ViewedBlock } from './path_blocks.js';
import type { PathWindow, Read } from './path_window.js';
import type { TypedHistory } from './typed_line.js';
import { atEnd, type Rows, type Viewing, withBlocks } from './viewport.js';

/** Why the viewer closed. */
export type ViewerEnd = { kind: 'insert' } | { kind: 'navigator' | 'agents' } | { kind: 'line'; line: string };

export interface ViewerParts {
  client: Client;
  /** Null in an empty tree. */
  position(): NodeId | null;
  terminal: Pick<Terminal, 'size' | 'enterScreen' | 'redrawScreen' | 'leaveScreen'>;
  look(columns: number): Look;
  /** The status row. */
  status(mode: 'NORMAL' | 'COMMAND', look: Look): string;
  /** The current modes, which keys toggle. */
  modes(): ModeFacts;
  copy(text: string): boolean;
  /** Whether the viewer opens with the last call selected and unfolded. */
  atLastCall: boolean;
  /** The names of the commands that `:` takes. */
  commands: readonly string[];
  /** Runs an action that keeps the viewer open; resolves with a message about it. */
  act(action: 'network' | 'plan' | 'thinking' | 'edit_plan'): Promise<string | null>;
}

/** The shared state of an open viewer. */
export interface ViewerState {
  parts: ViewerParts;
  rows: () => Rows;
  view: Viewing;
  path: PathWindow | null;
  /** The running turns of the tree; null before the tree exists. */
  following: Following | null;
  /** The search over the path, with what it has read. */
  finder: Finder | null;
  /** Whether the end was in view when last drawn, before uncommitted blocks grew. */
  isAtEnd: boolean;
  completion: Completion;
  history: TypedHistory;
  /** Aborts the running search at any key that does not continue it. */
  errand: AbortController;
  /** Aborts counting the matches at the next key. */
  counting: AbortController;
  /** The queue of searches. */
  searches: number;
  work: Promise<void>;
  quiet: Quiet;
  leave(end: ViewerEnd): void;
}

export function show(viewer: ViewerState, view: Viewing): void {
  viewer.view = view;
  viewer.parts.terminal.redrawScreen();
}

/** Queues work; a failure is shown. */
export function doNext(viewer: ViewerState, work: () => Promise<void>): void {
  const { signal } = viewer.errand;
  viewer.work = viewer.work.then(work).catch((error: unknown) => {
    if (!signal.aborted) show(viewer, { ...viewer.view, word: reasonOf(error) });
  });
}

/** Whether the end is in view, so that new blocks scroll. */
export function isFollowing({ view, isAtEnd }: ViewerState): boolean {
  return isAtEnd && view.chosen >= view.blocks.length - 1;
}

/** The view of the loaded part of the path, with uncommitted blocks below its end. */
export function composed({ view, path, following }: ViewerState, { blocks, span }: Read): Viewing {
  const read = onPath(blocks);
  if (path === null || following === null || span.end < span.length) return withBlocks(view, read, span);
  following.uncommitted.dropCommitted(new Set(read.map(({ key }) => key)));
  return withBlocks(view, [...read, ...following.uncommitted.below(path.tip)], span);
}

/** The view with the current uncommitted blocks. */
export function withComing(viewer: ViewerState): Viewing {
  return composed(viewer, viewer.view);
}

export function onPath(blocks: readonly ViewedBlock[]): readonly ViewedBlock[] {
  return blocks.at(-1)?.at === NOT_ON_PATH ? blocks.filter(({ at }) => at !== NOT_ON_PATH) : blocks;
}

/** Scrolls to the new end if the old one was in view. */
export function goneAlong(view: Viewing, wasFollowing: boolean, rows: Rows): Viewing {
  return wasFollowing ? atEnd(view, rows) : view;
}
