import type { Escape } from './escape.js';
import { FILE_ESCAPES } from './files.js';
import { KERNEL_ESCAPES, NETWORK_ESCAPES, PROCESS_ESCAPES } from './system.js';

const FAMILIES = [FILE_ESCAPES, KERNEL_ESCAPES, PROCESS_ESCAPES, NETWORK_ESCAPES];

export const ESCAPES: readonly Escape[] = FAMILIES.flat();

/** The numbers of the attempts, a list for each of what they are aimed at. */
export function families(): number[][] {
  return FAMILIES.map((family) => family.map((attempt) => ESCAPES.indexOf(attempt)));
}

/** What became of an attempt, without the sandbox and within. */
export interface Verdict {
  name: string;
  outside: 'escaped' | 'held' | 'not tried';
  inside: 'escaped' | 'held' | 'not tried';
  said: string;
}
