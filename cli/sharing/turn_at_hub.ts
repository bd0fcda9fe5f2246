import type { ResultOf } from '../../hub/protocol/methods/method_table.js';
import { cleanLine } from '../render/text/clean.js';

type RunningTurn = ResultOf<'agent.status'>['turns'][number];

/** A turn that another hub has, and can be told something. */
export type TurnAtHub = RunningTurn & { by: string };

export function isAtHub(turn: RunningTurn): turn is TurnAtHub {
  return turn.by !== undefined && turn.seen_at_ms === undefined;
}

/** What is said when the person begins to come along with a turn of another hub. */
export function comingAlong({ by }: TurnAtHub): string {
  return `(${cleanLine(by)}'s hub is working here: you come along, what you type goes there, and /stop stops it)`;
}
