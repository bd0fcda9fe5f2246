import type { Look } from '../../render/look/look.js';
import { cut } from '../../render/text/cut.js';
import type { Status } from '../front/front.js';
import { formatSeconds } from './seconds.js';

/** What is under way, and how long that has been so. */
export interface WorkingFacts {
  status: Status | null;
  /** Whether a letter gives the permission that is asked for. */
  mayPermit: boolean;
  /** How long the turn has been running. */
  elapsedMs: number;
  nowMs: number;
}

/** Says that something is under way, or waited for, where nothing else shows it. */
export function workingRow(facts: WorkingFacts, look: Look): string[] {
  const { status, mayPermit } = facts;
  if (status === null) return [];
  const row = (text: string): string => cut(text, look.width - 1, look);
  if (status.hub !== null) return [look.style.warning(row(status.hub))];
  if (status.turn === null && mayPermit) {
    return [look.style.warning(row('y  allow it    a  allow all of this turn    n  do not'))];
  }
  if (status.turn !== null) return [look.style.quiet(row(turnText(status, facts)))];
  return status.isSlow ? [look.style.quiet(row('working…'))] : [];
}

function turnText({ turn, retryAtMs }: Status, { elapsedMs, nowMs }: WorkingFacts): string {
  if (turn === 'stopping') return 'stopping…';
  if (retryAtMs === null) return `working ${wholeSeconds(Math.floor(elapsedMs / 1_000))}, Esc stops`;
  const seconds = Math.max(0, Math.ceil((retryAtMs - nowMs) / 1_000));
  return `waiting, asks again in ${wholeSeconds(seconds)}, Esc stops`;
}

function wholeSeconds(seconds: number): string {
  return formatSeconds(seconds * 1_000);
}
