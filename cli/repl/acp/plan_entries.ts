import type { PlanEntry } from '@agentclientprotocol/sdk/unstable';

const ITEM = /^\s*(?:[-*+]|\d+[.)])\s+(?:\[([ xX])\]\s+)?(\S.*)$/;

/** The items of a plan in Markdown; ticked ones are done. */
export function planEntries(plan: string): PlanEntry[] {
  return plan.split('\n').flatMap((line): PlanEntry[] => {
    const [, tick, content] = ITEM.exec(line) ?? [];
    if (content === undefined) return [];
    return [{ content, priority: 'medium', status: tick?.toLowerCase() === 'x' ? 'completed' : 'pending' }];
  });
}
