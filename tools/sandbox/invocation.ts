import type { Contained } from '../../hub/protocol/policy.js';

/** A program with its arguments, as it is spawned. */
export interface Invocation {
  program: string;
  arguments: readonly string[];
}

/** A program to run inside a sandbox. */
export interface SandboxCommand extends Invocation {
  policy: Contained;
  /** Where it starts; a real path that the policy lets it see. */
  cwd: string;
  /** A folder of its session that is its /tmp. */
  tmp: string;
}

/** The invocation that is spawned instead. */
export interface WrappedCommand extends Invocation {
  /** Removes the mount points made for the command; to be called when it has ended. */
  release(): void;
}
