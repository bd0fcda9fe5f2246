import type { KeyWords } from '../../render/screens/viewer_page.js';

/** What is done when the leader key and one more were pressed. */
export type LeaderAction = 'network' | 'clear' | 'plan' | 'edit_plan' | 'execute' | 'agents' | 'navigator' | 'keys';

const LEADER: readonly { key: string; words: string; action: LeaderAction }[] = [
  { key: 'n', words: 'network on, off', action: 'network' },
  { key: 'c', words: 'clear: to the root', action: 'clear' },
  { key: 'p', words: 'plan mode on, off', action: 'plan' },
  { key: 'e', words: 'edit the plan', action: 'edit_plan' },
  { key: 'x', words: 'execute the plan', action: 'execute' },
  { key: 'a', words: 'agents', action: 'agents' },
  { key: 't', words: 'tree', action: 'navigator' },
  { key: '?', words: 'these keys', action: 'keys' },
];

export const LEADER_KEYS: readonly KeyWords[] = LEADER.map(({ key, words }) => [key, words]);

export function leaderAction(letter: string): LeaderAction | null {
  return LEADER.find(({ key }) => key === letter)?.action ?? null;
}
