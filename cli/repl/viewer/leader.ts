import type { KeyWords } from '../../render/screens/viewer_page.js';
import { thinkingAfter } from '../../turn/thinking_choice.js';

/** The actions behind the leader key. */
export type LeaderAction =
  | 'network'
  | 'clear'
  | 'plan'
  | 'thinking'
  | 'edit_plan'
  | 'execute'
  | 'agents'
  | 'navigator'
  | 'keys';

/** The state that a confirmation depends on. */
export interface ModeFacts {
  network: boolean;
  isPlanning: boolean;
  /** The thinking setting of the next turn; null while unknown. */
  thinking: string | null;
}

interface LeaderKey {
  key: string;
  words: string;
  action: LeaderAction;
  /** The confirmation before it runs; null for actions that only show something. */
  question: ((now: ModeFacts) => string) | null;
}

const LEADER: readonly LeaderKey[] = [
  {
    ...{ key: 'n', words: 'network on, off', action: 'network' },
    question: ({ network }) => `Switch the network ${network ? 'off' : 'on'}?`,
  },
  { key: 'c', words: 'clear: to the root', action: 'clear', question: () => 'Go to the root?' },
  {
    ...{ key: 'p', words: 'plan mode on, off', action: 'plan' },
    question: ({ isPlanning }) => `Switch plan mode ${isPlanning ? 'off' : 'on'}?`,
  },
  {
    ...{ key: 'h', words: 'how much it thinks', action: 'thinking' },
    question: ({ thinking }) => `Set thinking to ${thinkingAfter(thinking)}?`,
  },
  { key: 'e', words: 'edit the plan', action: 'edit_plan', question: () => 'Open the plan in your editor?' },
  { key: 'x', words: 'execute the plan', action: 'execute', question: () => 'Execute the plan?' },
  { key: 'a', words: 'agents', action: 'agents', question: null },
  { key: 't', words: 'tree', action: 'navigator', question: null },
  { key: '?', words: 'these keys', action: 'keys', question: null },
];

export const LEADER_KEYS: readonly KeyWords[] = LEADER.map(({ key, words }) => [key, words]);

export function leaderKey(letter: string): LeaderKey | null {
  return LEADER.find(({ key }) => key === letter) ?? null;
}
