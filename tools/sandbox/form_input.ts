import type { MachinePlace } from '../base/parts.js';
import type { Plan } from './mount_plan.js';
import type { Inside } from './sandbox.js';

/** What a form of the sandbox turns into something to spawn. */
export interface Rendering {
  plan: Plan;
  inside: Inside;
  place: MachinePlace;
}
