import type { NodeId } from '../../hub/protocol/node.js';

/** Commands listed per branch, and nodes remembered. */
const COMMANDS_MAX = 50;
const NODES_MAX = 1_000;

/** The working folder of a branch for whoever runs a command there, and the person's own commands on it, the newest first. */
export interface BranchState {
  cwd: string | null;
  commands: readonly NodeId[];
}

/** A cache of the branches on which commands of this process have ended: nodes never change, so the hub need not be asked again. */
export interface BranchStates {
  find(node: NodeId): BranchState | null;
  /** Records a person's command that was appended as this node and ended in this folder. */
  remember(node: NodeId, end: { cwd: string; before: BranchState }): void;
}

export function createBranchStates(): BranchStates {
  // A map keeps insertion order.
  const states = new Map<NodeId, BranchState>();
  return {
    find: (node) => states.get(node) ?? null,
    remember(node, { cwd, before }) {
      states.set(node, { cwd, commands: [node, ...before.commands].slice(0, COMMANDS_MAX) });
      for (const oldest of states.keys()) {
        if (states.size <= NODES_MAX) break;
        states.delete(oldest);
      }
    },
  };
}
