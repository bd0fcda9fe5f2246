import type { Client } from '../../../hub/client.js';
import type { NodeId } from '../../../hub/protocol/node.js';
import { reasonOf } from '../../failure.js';
import type { Look } from '../../render/look.js';
import type { Terminal } from '../terminal/terminal.js';
import type { LeaderTimer } from './leader_timer.js';
import type { Rows, Viewing } from './view.js';
import type { PathWindow } from './window.js';

/** How a person left the transcript. */
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
  act(wish: 'network' | 'plan' | 'edit_plan'): Promise<string | null>;
}

/** What everything in an open viewer shares. */
export interface ViewerDesk {
  parts: ViewerParts;
  rows: () => Rows;
  view: Viewing;
  path: PathWindow | null;
  /** What runs until the next key: a search. */
  errand: AbortController;
  work: Promise<void>;
  timer: LeaderTimer;
  leave(end: ViewerEnd): void;
}

export function show(desk: ViewerDesk, view: Viewing): void {
  desk.view = view;
  desk.timer.follow(view.leader);
  desk.parts.terminal.redrawScreen();
}

/** One thing after the other; what fails is told. */
export function doNext(desk: ViewerDesk, work: () => Promise<void>): void {
  desk.work = desk.work.then(work).catch((error: unknown) => {
    if (!desk.errand.signal.aborted) show(desk, { ...desk.view, word: reasonOf(error) });
  });
}
