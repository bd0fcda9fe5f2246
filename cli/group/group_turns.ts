import { detach } from '../../hub/base/detach.js';
import { HubError } from '../../hub/base/error.js';
import type { Client } from '../../hub/client/client.js';
import type { NodeId, TurnId } from '../../hub/protocol/node.js';
import type { AgentEvent, TurnOutcome } from '../../hub/protocol/turn.js';
import type { Context } from '../command_line/command_context.js';
import { newNodeId, newTurnId } from '../position/ids.js';
import { shortId } from '../render/text/ids_and_counts.js';
import { type CommandKeys, withCommandKey } from '../turn/key_command.js';
import { modelEnvironment } from '../turn/model_access.js';
import { endWords } from '../turn/run_turn.js';
import type { SessionPlace } from '../turn/session_turn.js';
import type { TurnOptions } from '../turn/turn_options.js';
import type { GroupMember } from './group_members.js';

export interface GroupParts {
  context: Context;
  options: TurnOptions;
  keys: CommandKeys;
  signal: AbortSignal;
  /** Tells how it goes, one line at a time. */
  tell(line: string): void;
}

export interface GroupTurns {
  place: SessionPlace;
  /** Has the member answer a node; a turn without an answer fails. */
  answer(member: GroupMember, node: NodeId): Promise<TurnOutcome>;
  /** Says something below a node, the question where that is null, and has the member answer. */
  say(member: GroupMember, message: GroupMessage): Promise<TurnOutcome>;
  spent(): GroupCost;
}

interface GroupMessage {
  below: NodeId | null;
  text: string;
  /** Whether the session does not go on from it. */
  isAside: boolean;
}

/** Of all turns; a null price is not known of some. */
export interface GroupCost {
  tokens: number;
  price_microdollars: number | null;
}

/** The turns of one group: stopped together, and together within the limit of cost. */
export function createGroupTurns(parts: GroupParts, client: Client, place: SessionPlace): GroupTurns {
  const { options, context, keys, signal } = parts;
  const running = new Set<TurnId>();
  const total = { tokens: 0, price: 0, isPriced: true };
  const most = options.limits.cost_microdollars;
  // A turn that has ended, or not begun, need not be stopped.
  const stop = (): void => {
    for (const turn of running) detach(client.call('agent.stop', { turn }), () => undefined);
  };
  signal.addEventListener('abort', stop, { once: true });
  const isSpent = (): boolean => most !== null && total.price >= most;
  const onEvent = async (event: AgentEvent): Promise<void> => {
    if (event.kind !== 'usage_counted') return;
    total.tokens += Object.values(event.usage).reduce((sum, some) => sum + some, 0);
    total.price += event.price_microdollars ?? 0;
    if (event.price_microdollars === null) total.isPriced = false;
    if (isSpent()) stop();
  };
  const { tree } = place;

  async function answer({ change, agent }: GroupMember, node: NodeId): Promise<TurnOutcome> {
    const id = newTurnId();
    const run = { ...options, environment: modelEnvironment(), ...agent, change, id, tree, node, cwd: context.cwd };
    refuseCancelled(signal);
    if (isSpent()) throw new HubError('limit', 'what the group may cost is spent');
    running.add(id);
    try {
      return requireAnswer(await withCommandKey(keys, () => client.stream('agent.run', run, { onEvent })));
    } finally {
      running.delete(id);
    }
  }

  return {
    ...{ place, answer },
    async say(member, { below, text, isAside }) {
      refuseCancelled(signal);
      const id = newNodeId();
      const message = { id, tree, parent: below ?? place.node, role: 'user' as const };
      await client.call('loom.node_create_text', { ...message, blocks: [{ type: 'text', text }] });
      if (isAside) await client.call('loom.mark_set', { tree, name: `aside ${shortId(id)}`, node: id });
      return answer(member, id);
    },
    spent: () => ({ tokens: total.tokens, price_microdollars: total.isPriced ? total.price : null }),
  };
}

export function refuseCancelled(signal: AbortSignal): void {
  if (signal.aborted) throw new HubError('cancelled', 'it was stopped; what was said so far is kept');
}

function requireAnswer(outcome: TurnOutcome): TurnOutcome {
  const { state, why, failure, text } = outcome;
  if (failure !== null) throw new HubError(failure.data.kind, failure.message);
  if (state !== 'done') throw new HubError('cancelled', endWords(why));
  if (text.trim() === '') throw new HubError('unreachable', 'it has said nothing');
  return outcome;
}
