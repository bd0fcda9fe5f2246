import type { Look } from '../../render/look/look.js';
import { cut } from '../../render/text/cut.js';
import type { Status } from '../front/front.js';
import { formatSeconds } from './seconds.js';

/** The current activity and its duration. */
export interface WorkingFacts {
  status: Status | null;
  /** Whether a letter answers the permission question. */
  mayPermit: boolean;
  /** The duration of the turn. */
  elapsedMs: number;
  nowMs: number;
}

/** The row for an activity or a wait that nothing else shows. */
export function workingRow(facts: WorkingFacts, look: Look): string[] {
  const { status, mayPermit } = facts;
  if (status === null) return [];
  const row = (text: string): string => cut(text, look.width - 1, look);
  if (status.hub !== null) return [look.style.warning(row(status.hub))];
  if (status.turn === null && mayPermit) {
    if (status.choice !== null) return [look.style.warning(row(status.choice.words))];
    const more = status.asks === 'permission' ? 'allow what 2 says' : 'allow all of this turn';
    return [look.style.warning(row(`y  allow it    a  ${more}    n  do not`))];
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
