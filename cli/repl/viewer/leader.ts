import type { KeyWords } from '../../render/screens/viewer_page.js';

/** What is done when the leader key and one more were pressed. */
export type LeaderAction = 'network' | 'clear' | 'plan' | 'edit_plan' | 'execute' | 'agents' | 'navigator' | 'keys';

const LEADER: readonly { key: string; words: string; wish: LeaderAction }[] = [
  { key: 'n', words: 'network on, off', wish: 'network' },
  { key: 'c', words: 'clear: to the root', wish: 'clear' },
  { key: 'p', words: 'plan mode on, off', wish: 'plan' },
  { key: 'e', words: 'edit the plan', wish: 'edit_plan' },
  { key: 'x', words: 'execute the plan', wish: 'execute' },
  { key: 'a', words: 'agents', wish: 'agents' },
  { key: 't', words: 'tree', wish: 'navigator' },
  { key: '?', words: 'these keys', wish: 'keys' },
];

export const LEADER_KEYS: readonly KeyWords[] = LEADER.map(({ key, words }) => [key, words]);

export function leaderAction(letter: string): LeaderAction | null {
  return LEADER.find(({ key }) => key === letter)?.wish ?? null;
}
