import type { TreeId } from '../../../hub/protocol/node.js';
import type { AgentName, RoleName } from '../../../hub/protocol/outside_agent.js';

/** One of the agents that work in a conversation. It names a folder. */
export interface AgentInstance {
  /** Such as `claude`, `claude-reviewer` or `claude-reviewer-2`. */
  id: string;
  number: number;
  /** It works no more: the next of its kind has its id again. */
  release(): void;
}

export interface AgentInstances {
  take(tree: TreeId, agent: AgentName, role: RoleName | null): AgentInstance;
}

/** Numbers those of one kind that work in one conversation at once. */
export function createAgentInstances(): AgentInstances {
  const taken = new Set<string>();
  return {
    take(tree, agent, role) {
      const kind = role === null ? agent : `${agent}-${role}`;
      let number = 1;
      while (taken.has(`${tree} ${kind} ${number}`)) number += 1;
      const key = `${tree} ${kind} ${number}`;
      taken.add(key);
      return { id: number === 1 ? kind : `${kind}-${number}`, number, release: () => void taken.delete(key) };
    },
  };
}
