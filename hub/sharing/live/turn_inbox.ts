import { detach, neverFails } from '../../base/detach.js';
import { HubError } from '../../base/error.js';
import { jsonOrNull } from '../../base/json/json_or_null.js';
import { TurnMessage } from '../../protocol/methods/live_methods.js';
import type { TreeId, TurnId } from '../../protocol/node.js';
import type { Remote } from '../remote_connection.js';
import { INBOX, UP_TO } from '../schema/turn_limits.js';
import type { TurnLaneState } from './lane_state.js';
import { InboxAnswer, NOT_KNOWN } from './turn_messages.js';

/** Writes what people of this hub say to turns of others. */
export async function sendSaid(
  { said, others }: TurnLaneState,
  remote: Remote,
  { hub, changed }: { hub: string; changed: Set<TreeId> },
): Promise<void> {
  for (const one of said.values()) {
    if (one.isSent) continue;
    one.isSent = true;
    await remote.query('SELECT cognition.say($1, $2, $3, $4)', [hub, one.id, one.turn, one.body]);
    const tree = others.get(one.turn)?.tree;
    if (tree !== undefined) changed.add(tree);
  }
}

/** Does what others say to turns of this hub. */
export async function readInbox(lane: TurnLaneState, remote: Remote, hub: string): Promise<void> {
  const { parts, answers, delivering } = lane;
  for (const row of await remote.query<{ id: string; turn: TurnId; tree: TreeId; body: string }>(INBOX, [hub])) {
    const { id, turn, tree } = row;
    if (delivering.has(id)) continue;
    delivering.add(id);
    const message = TurnMessage.safeParse(jsonOrNull(row.body)).data;
    const done = message === undefined ? Promise.resolve(NOT_KNOWN) : deliver(lane, turn, message);
    detach(
      done.then((answer) => {
        answers.set(id, { tree, answer: JSON.stringify(answer) });
        lane.isToTell = true;
        delivering.delete(id);
        parts.wake();
      }),
      neverFails,
    );
  }
}

async function deliver({ parts, own }: TurnLaneState, id: TurnId, message: TurnMessage): Promise<InboxAnswer> {
  const turn = own.get(id);
  if (turn === undefined || turn.state === 'ended') return { failed: 'not_found', message: 'the turn has ended' };
  const isGrant =
    message.kind === 'answer' && turn.questions.some(({ kind, answer }) => kind !== 'question' && answer === null);
  // Who may write at a remote may not decide what runs on this machine.
  if (isGrant) return { failed: 'unauthorised', message: 'what may run is decided where it runs' };
  return parts.deliver(id, message);
}

/** Takes what was answered to what people of this hub have said. */
export async function readAnswers({ said, others, news }: TurnLaneState, remote: Remote): Promise<void> {
  const open = [...said.values()].filter(({ isSent }) => isSent).map(({ id }) => id);
  if (open.length === 0) return;
  const sql = `SELECT id, ${UP_TO('answer')} FROM cognition.inbox WHERE id = ANY($1) AND answer IS NOT NULL`;
  for (const { id, answer } of await remote.query<{ id: string; answer: string }>(sql, [open])) {
    const told = InboxAnswer.safeParse(jsonOrNull(answer)).data ?? NOT_KNOWN;
    const one = said.get(id);
    const end = (): void => one?.end('done' in told ? told.done : new HubError(told.failed, told.message));
    const tree = one === undefined ? undefined : others.get(one.turn)?.tree;
    if (tree === undefined) end();
    else news.push({ tree, tell: end });
  }
}
