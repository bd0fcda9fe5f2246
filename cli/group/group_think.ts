import { HubError } from '../../hub/base/error.js';
import { type Contribution, roundWords, synthesisWords } from '../../hub/base/group/group_words.js';
import type { NodeId, TreeId } from '../../hub/protocol/node.js';
import { reasonOf } from '../output/failure.js';
import { addToSession, markSession } from '../turn/session_turn.js';
import type { GroupMember } from './group_members.js';
import { createGroupTurns, type GroupCost, type GroupParts, type GroupTurns, refuseCancelled } from './group_turns.js';

export const ROUNDS_MAX = 5;

export interface GroupQuestion {
  question: string;
  members: readonly GroupMember[];
  rounds: number;
  outputFormat: string | null;
  /** A session by its name; null for a new one, where no node is given. */
  session: string | null;
  /** The node that it branches off; null to go on in the session. */
  at: { tree: TreeId; node: NodeId } | null;
  files: readonly string[];
}

/** How one member has ended: its last node, and why it gave up; null where it did not. */
export interface MemberEnd {
  model: string;
  rounds: number;
  node: NodeId | null;
  failure: string | null;
}

export interface GroupAnswer extends GroupCost {
  session: string;
  tree: TreeId;
  /** The synthesis, which the session goes on from. */
  node: NodeId;
  text: string;
  synthesis_by: string;
  members: MemberEnd[];
}

/** A member under way. */
interface Seat extends MemberEnd {
  member: GroupMember;
  text: string;
}

/** Has several models answer a question in rounds, each told what the others said, and one put it together. Each says it in a branch of its own. */
export async function groupThink(parts: GroupParts, request: GroupQuestion): Promise<GroupAnswer> {
  const { context, options } = parts;
  const client = await context.client();
  const { question: text, session, at, files } = request;
  const place = await addToSession(context, options, { session, at, text, files, change: {}, isModel: false });
  const group = createGroupTurns(parts, client, place);
  const seats = request.members.map((member): Seat => {
    return { member, model: member.label, rounds: 0, node: null, failure: null, text: '' };
  });
  for (let round = 1; round <= request.rounds; round += 1) {
    const live = seats.filter(({ failure }) => failure === null);
    if (live.length === 0) break;
    parts.tell(`Round ${round} of ${request.rounds}: ${live.map(({ model }) => model).join(', ')}`);
    const before = live.map(({ model: label, text: said }) => ({ label, text: said }));
    await Promise.all(live.map((seat) => takeRound(group, parts, { seat, round, before })));
    refuseCancelled(parts.signal);
  }
  return synthesise(group, parts, { request, seats });
}

interface Round {
  seat: Seat;
  round: number;
  before: readonly Contribution[];
}

async function takeRound(group: GroupTurns, { tell }: GroupParts, { seat, round, before }: Round): Promise<void> {
  const words = roundWords(
    round,
    seat.model,
    before.filter(({ label }) => label !== seat.model),
  );
  try {
    const outcome = await group.say(seat.member, { below: seat.node, text: words, isAside: seat.node === null });
    Object.assign(seat, { node: outcome.tip, text: outcome.text, rounds: round });
    tell(`${seat.model} has answered.`);
  } catch (error) {
    seat.failure = reasonOf(error);
    tell(`${seat.model} goes no further: ${seat.failure}`);
  }
}

/** The first who can puts it together: who answered to the end comes first. */
async function synthesise(
  group: GroupTurns,
  parts: GroupParts,
  { request, seats }: { request: GroupQuestion; seats: readonly Seat[] },
): Promise<GroupAnswer> {
  const spoken = seats.filter(({ rounds }) => rounds > 0);
  const words = synthesisWords(
    spoken.map(({ model: label, text }) => ({ label, text })),
    request.outputFormat,
  );
  const { place } = group;
  const inOrder = [...spoken].sort((one, other) => Number(one.failure !== null) - Number(other.failure !== null));
  for (const seat of inOrder) {
    parts.tell(`${seat.model} puts it together.`);
    try {
      const outcome = await group.say(seat.member, { below: null, text: words, isAside: false });
      await markSession(await parts.context.client(), place, outcome);
      const members = seats.map(({ model, rounds, node, failure }) => ({ model, rounds, node, failure }));
      const { tree, session } = place;
      return {
        session,
        tree,
        node: outcome.tip,
        text: outcome.text,
        synthesis_by: seat.model,
        members,
        ...group.spent(),
      };
    } catch (error) {
      refuseCancelled(parts.signal);
      parts.tell(`${seat.model} could not put it together: ${reasonOf(error)}`);
    }
  }
  const reasons = seats.flatMap(({ model, failure }) => (failure === null ? [] : [`${model}: ${failure}`]));
  throw new HubError('unreachable', `no model of the group could answer: ${reasons.join('; ')}`, {
    details: { tree: place.tree, session: place.session },
  });
}
