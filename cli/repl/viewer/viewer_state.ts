import type { Client } from '../../../hub/client/client.js';
import type { NodeId } from '../../../hub/protocol/node.js';
import { reasonOf } from '../../output/failure.js';
import type { Look } from '../../render/look/look.js';
import type { Completion } from '../editor/completion/menu.js';
import type { Terminal } from '../terminal/terminal.js';
import type { Finder } from './finder.js';
import type { Following } from './follow_turns.js';
import type { LeaderTimer } from './leader_timer.js';
import { NOT_ON_PATH, type ViewedBlock } from './path_blocks.js';
import type { PathWindow, Read } from './path_window.js';
import type { TypedHistory } from './typed_line.js';
import { atEnd, type Rows, type Viewing, withBlocks } from './viewport.js';

/** How a person left the viewer. */
export type ViewerEnd = { kind: 'insert' } | { kind: 'navigator' | 'agents' } | { kind: 'line'; line: string };

export interface ViewerParts {
  client: Client;
  /** Null while nothing has been said. */
  position(): NodeId | null;
  terminal: Pick<Terminal, 'size' | 'enterScreen' | 'redrawScreen' | 'leaveScreen'>;
  look(columns: number): Look;
  /** The row at the bottom. */
  status(mode: 'NORMAL' | 'COMMAND', look: Look): string;
  copy(text: string): boolean;
  /** Whether the last call is chosen and unfolded at first. */
  atLastCall: boolean;
  /** The names of the commands that `:` takes. */
  commands: readonly string[];
  /** Does what needs no leaving; resolves with a word about it. */
  act(action: 'network' | 'plan' | 'edit_plan'): Promise<string | null>;
}

/** What everything in an open viewer shares. */
export interface ViewerState {
  parts: ViewerParts;
  rows: () => Rows;
  view: Viewing;
  path: PathWindow | null;
  /** The running turns of the tree; null before there is one. */
  following: Following | null;
  /** What was looked through for what is searched for. */
  finder: Finder | null;
  /** Whether the end was in view at the last drawing: uncommitted blocks have made it longer since. */
  isAtEnd: boolean;
  completion: Completion;
  history: TypedHistory;
  /** What runs until another key than one that goes on with it: a search. */
  errand: AbortController;
  /** What runs until the next key: counting what a search can find. */
  counting: AbortController;
  /** Searches that are still to be done. */
  searches: number;
  work: Promise<void>;
  timer: LeaderTimer;
  leave(end: ViewerEnd): void;
}

export function show(viewer: ViewerState, view: Viewing): void {
  viewer.view = view;
  viewer.timer.follow(view.leader);
  viewer.parts.terminal.redrawScreen();
}

/** Runs work after the work before; a failure is shown. */
export function doNext(viewer: ViewerState, work: () => Promise<void>): void {
  const { signal } = viewer.errand;
  viewer.work = viewer.work.then(work).catch((error: unknown) => {
    if (!signal.aborted) show(viewer, { ...viewer.view, word: reasonOf(error) });
  });
}

/** Whether the end is in view, and new blocks scroll it. */
export function isFollowing({ view, isAtEnd }: ViewerState): boolean {
  return isAtEnd && view.chosen >= view.blocks.length - 1;
}

/** The view of what was read of the path; where that is its end, uncommitted blocks stand below it. */
export function composed({ view, path, following }: ViewerState, { blocks, span }: Read): Viewing {
  const read = onPath(blocks);
  if (path === null || following === null || span.end < span.length) return withBlocks(view, read, span);
  following.uncommitted.dropCommitted(new Set(read.map(({ key }) => key)));
  return withBlocks(view, [...read, ...following.uncommitted.below(path.tip)], span);
}

/** The same view with the uncommitted blocks of now. */
export function withComing(viewer: ViewerState): Viewing {
  return composed(viewer, viewer.view);
}

export function onPath(blocks: readonly ViewedBlock[]): readonly ViewedBlock[] {
  return blocks.at(-1)?.at === NOT_ON_PATH ? blocks.filter(({ at }) => at !== NOT_ON_PATH) : blocks;
}

/** The view at its new end, where the end was in view before. */
export function goneAlong(view: Viewing, wasFollowing: boolean, rows: Rows): Viewing {
  return wasFollowing ? atEnd(view, rows) : view;
}
