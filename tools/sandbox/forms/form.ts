import type { SandboxKind } from '../../../hub/protocol/methods/tool_methods.js';
import type { MachinePaths } from '../../base/tool_parts.js';
import type { Invocation, SandboxCommand } from '../invocation.js';
import type { MountPlan } from '../mount_plan.js';

/** One way to build a sandbox. */
export interface Form {
  kind: SandboxKind;
  name: string;
  /** Whether nothing inside can make a user namespace, in which it would hold rights over what it mounts itself. */
  forbidsNamespaces: boolean;
  /** Whether it makes a user namespace of its own. */
  userNamespace: boolean;
  /** Whether commands run under a filter of system calls. */
  filtersCalls: boolean;
  invocation(input: FormInput): Invocation;
}

export interface FormInput {
  plan: MountPlan;
  command: SandboxCommand;
  machine: MachinePaths;
  /** Whether the command gets a network of its own, in which there is nothing but a loopback. */
  ownNetwork: boolean;
}

/** The result of probing a form. */
export interface FormTrial {
  form: Form;
  /** What was tried from inside and failed, as it must. */
  holds: string[];
  /** Why the form cannot be used; null when it holds. */
  failure: string | null;
}
