import type { NodeId } from '../../hub/protocol/node.js';

/** Commands of a branch that are told, and nodes that are remembered. */
const COMMANDS_MAX = 50;
const NODES_MAX = 1_000;

/** Where a branch stands, and the person's own commands on it, the newest first. */
export interface BranchPlace {
  cwd: string | null;
  commands: readonly NodeId[];
}

/** Where the branches stand that commands of this process have ended on: nodes never change, so nobody is asked twice. */
export interface Places {
  find(node: NodeId): BranchPlace | null;
  /** A command of a person has been appended there, and left this folder. */
  remember(node: NodeId, left: { cwd: string; before: BranchPlace }): void;
}

/** Starts with nothing remembered. */
export function createPlaces(): Places {
  // A map keeps the order in which it was filled.
  const places = new Map<NodeId, BranchPlace>();
  return {
    find: (node) => places.get(node) ?? null,
    remember(node, { cwd, before }) {
      places.set(node, { cwd, commands: [node, ...before.commands].slice(0, COMMANDS_MAX) });
      for (const oldest of places.keys()) {
        if (places.size <= NODES_MAX) break;
        places.delete(oldest);
      }
    },
  };
}
