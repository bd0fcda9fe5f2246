import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import type { Client } from '../../hub/client/client.js';
import type { NodeId, TreeId, TurnId } from '../../hub/protocol/node.js';
import { turnIfThere } from '../position/position.js';
import type { Lane } from '../render/reports/race_board.js';
import type { Copy } from './copy.js';
import { readCheck } from './lane_check.js';

/** The copies of the newest race in a tree, or of that at a node, in the order of its lanes. */
export async function raceIn(client: Client, tree: TreeId, at: NodeId | null): Promise<Copy[]> {
  const { copies } = await client.call('loom.copy_list', { tree });
  const node = at ?? copies[0]?.node;
  const race = copies.filter((copy) => copy.node === node);
  if (race.length > 0) return race;
  throw new HubError('not_found', at === null ? 'there is no race in this conversation' : 'no race began there', {
    hint: [cliCommand('race', '"message"', '--with', 'sonnet×2,gpt')],
  });
}

/** A lane by its number on the board. */
export function laneNumbered(copies: readonly Copy[], number: string): { copy: Copy; number: number } {
  const copy = /^\d{1,2}$/.test(number) ? copies[Number(number) - 1] : undefined;
  if (copy !== undefined) return { copy, number: Number(number) };
  throw new HubError('not_found', `the race has no lane ${JSON.stringify(number)}`, {
    hint: [`its lanes are 1 to ${copies.length}: `, cliCommand('race')],
  });
}

type Changed = Pick<Lane, 'files' | 'added' | 'removed'>;
const NONE: Changed = { files: 0, added: 0, removed: 0 };

const LOOK_AGAIN_MS = 2_000;

/** Reads where lanes stand; files are compared again only where there is something new. */
export function createLaneReader(client: Client): (copies: readonly Copy[]) => Promise<Lane[]> {
  const known = new Map<TurnId, { changed: Changed; isLast: boolean; readAtMs: number }>();

  async function changedBy({ turn, project, tree, node }: Copy, tip: NodeId, hasEnded: boolean): Promise<Changed> {
    const before = known.get(turn);
    // What a step has changed is recorded a little after it.
    const isFresh = before?.isLast === true || (!hasEnded && Date.now() - (before?.readAtMs ?? 0) < LOOK_AGAIN_MS);
    if (before !== undefined && isFresh) return before.changed;
    const changed = tip === node ? NONE : await changedSince(client, { project, tree, node, other: tip });
    known.set(turn, { changed, isLast: hasEnded, readAtMs: Date.now() });
    return changed;
  }

  async function laneOf(copy: Copy, number: number): Promise<Lane> {
    const { turn: id, label, node, at_ms: atMs } = copy;
    const turn = await turnIfThere(client, id);
    const [check, cost] = await Promise.all([
      turn === null || copy.check === null ? null : readCheck(client, id),
      turn === null ? null : client.call('loom.cost_get', { turn: id }).then(({ total }) => total),
    ]);
    return {
      ...{ number, label, turn: id, state: turn?.state ?? 'starting', check: check?.exitCode ?? null },
      ...{ hasCheck: copy.check !== null, tip: check?.node ?? turn?.tip ?? node, answer: turn?.tip ?? node, cost },
      ...(await changedBy(copy, turn?.tip ?? node, (turn?.ended_at_ms ?? null) !== null)),
      seconds: Math.max(0, ((turn?.ended_at_ms ?? Date.now()) - atMs) / 1_000),
    };
  }

  return (copies) => Promise.all(copies.map((copy, index) => laneOf(copy, index + 1)));
}

async function changedSince(
  client: Client,
  place: { project: string; tree: TreeId; node: NodeId; other: NodeId },
): Promise<Changed> {
  try {
    const { changed, changes } = await client.call('files.diff', { ...place, detail: 'lines' });
    return {
      files: changed,
      added: changes.reduce((sum, { lines }) => sum + (lines?.added ?? 0), 0),
      removed: changes.reduce((sum, { lines }) => sum + (lines?.removed ?? 0), 0),
    };
  } catch (error) {
    // Nothing is recorded yet, or the folder is gone: the board is shown all the same.
    if (error instanceof HubError && (error.kind === 'not_found' || error.kind === 'limit')) return NONE;
    throw error;
  }
}

/** The ends of the lanes of the newest race in a tree; empty without one. */
export async function laneTips(client: Client, tree: TreeId): Promise<NodeId[]> {
  const { copies } = await client.call('loom.copy_list', { tree });
  const lanes = await createLaneReader(client)(copies.filter(({ node }) => node === copies[0]?.node));
  return lanes.map(({ tip }) => tip);
}

/** Whether something still happens in a lane by itself. */
export function isUnderWay({ state, check, hasCheck }: Lane): boolean {
  return state === 'running' || state === 'starting' || (state === 'done' && hasCheck && check === null);
}
