import { HubError } from '../../hub/base/error.js';
import type { Client } from '../../hub/client/client.js';
import type { TreeId } from '../../hub/protocol/node.js';
import { createLaneReader, isUnderWay, raceIn } from '../race/board.js';
import type { Lane } from '../render/reports/race_board.js';

/** A lane of a race, as a page shows it. */
export interface PageLane
  extends Pick<Lane, 'number' | 'label' | 'turn' | 'state' | 'check' | 'hasCheck' | 'files' | 'added' | 'removed'> {
  /** The id of the node where its branch ends. */
  tip: string;
  tokens: number;
  /** Null for an unknown price. */
  price_microdollars: number | null;
  seconds: number;
  isUnderWay: boolean;
}

/** Reads the newest race of a tree, as `cognition race` shows it; no lanes where there is none. */
export function createRaceReader(): (client: Client, tree: TreeId) => Promise<PageLane[]> {
  let reader: { client: Client; read: ReturnType<typeof createLaneReader> } | null = null;
  return async (client, tree) => {
    if (reader?.client !== client) reader = { client, read: createLaneReader(client) };
    const copies = await raceIn(client, tree, null).catch(unlessNone);
    return (await reader.read(copies)).map(pageLane);
  };
}

function unlessNone(error: unknown): [] {
  if (error instanceof HubError && error.kind === 'not_found') return [];
  throw error;
}

function pageLane(lane: Lane): PageLane {
  const { number, label, turn, state, check, hasCheck, files, added, removed, tip, cost, seconds } = lane;
  return {
    ...{ number, label, turn, state, check, hasCheck, files, added, removed, tip, seconds },
    tokens: cost === null ? 0 : cost.tokens_in + cost.tokens_out,
    price_microdollars: cost === null || cost.unknown_price > 0 ? null : cost.price_microdollars,
    isUnderWay: isUnderWay(lane),
  };
}
