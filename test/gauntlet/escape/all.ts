import { CALL_ESCAPES } from './calls.js';
import type { Escape } from './escape.js';
import { FILE_ESCAPES } from './files.js';
import { HOME_ESCAPES } from './home.js';
import { REPOSITORY_ESCAPES } from './repositories.js';
import { LINK_ESCAPES, RIGHT_ESCAPES } from './rights.js';
import { KERNEL_ESCAPES, NETWORK_ESCAPES, PROCESS_ESCAPES } from './system.js';

const FAMILIES = [
  ...[FILE_ESCAPES, KERNEL_ESCAPES, PROCESS_ESCAPES, NETWORK_ESCAPES, HOME_ESCAPES, REPOSITORY_ESCAPES],
  ...[CALL_ESCAPES, RIGHT_ESCAPES, LINK_ESCAPES],
];

export const ESCAPES: readonly Escape[] = FAMILIES.flat();

/** The numbers of the attempts, by their target. */
export function families(): number[][] {
  return FAMILIES.map((family) => family.map((attempt) => ESCAPES.indexOf(attempt)));
}

/** The outcome of an attempt, outside and inside the sandbox. */
export interface Verdict {
  name: string;
  outside: 'escaped' | 'held' | 'not tried';
  inside: 'escaped' | 'held' | 'not tried';
  said: string;
}
