import type { ParsedOf } from '../../protocol/methods/method_table.js';
import type { TurnId } from '../../protocol/node.js';
import type { TurnOutcome } from '../../protocol/turn.js';

export type RunParams = ParsedOf<'agent.run'>;
export type CompactParams = ParsedOf<'agent.compact'>;
export type AnswerParams = ParsedOf<'agent.answer'>;

/** Of so many waiting turns it is known with what they go on, of the newest ones. */
const KEPT_MAX = 100;

export type Brought = Omit<AnswerParams, 'turn' | 'call' | 'answer'>;

/** What callers brought to turns that wait now, keys too: somebody who has none of it may answer. */
export interface BroughtParams {
  of(id: TurnId): Brought | null;
  /** Keeps what a turn runs with, should it wait when it has run. */
  keep(id: TurnId, brought: Brought, outcome: Promise<TurnOutcome>): Promise<TurnOutcome>;
  forget(id: TurnId): void;
}

export function createBroughtParams(): BroughtParams {
  const kept = new Map<TurnId, Brought>();
  return {
    of: (id) => kept.get(id) ?? null,
    async keep(id, { access, route, limits, compact, cache, fallback, window, ...own }, outcome) {
      kept.delete(id);
      const ended = await outcome;
      if (ended.state !== 'waiting') return ended;
      const { cwd, environment, grants, gives_keys } = own;
      kept.set(id, {
        ...{ access, route, limits, compact, cache, fallback, window, cwd, environment, grants, gives_keys },
      });
      for (const [oldest] of kept) if (kept.size > KEPT_MAX) kept.delete(oldest);
      return ended;
    },
    forget: (id) => void kept.delete(id),
  };
}
