import type { MachinePlace } from '../parts.js';
import type { Plan } from './plan.js';
import type { Inside } from './sandbox.js';

/** What a form of the sandbox turns into something to spawn. */
export interface Rendering {
  plan: Plan;
  inside: Inside;
  place: MachinePlace;
}
