import type { Contained } from '../../hub/protocol/policy.js';
import type { Mount, MountOverlay } from './mounts.js';

/** A program with its arguments, as it is spawned. */
export interface Invocation {
  program: string;
  arguments: readonly string[];
  /** The file that it reads as its descriptor `FILTER_FD`, where its caller opens that. */
  filter?: string;
}

/** The descriptor at which a caller opens the filter of system calls. Number 3 is the shell's own. */
export const FILTER_FD = 4;

/** The invocation of a program by another one, such as `unshare`, with its options. */
export function startedBy([program, ...options]: readonly [string, ...string[]], started: Invocation): Invocation {
  return { ...started, program, arguments: [...options, started.program, ...started.arguments] };
}

/** A program to run inside a sandbox. */
export interface SandboxCommand extends Invocation {
  policy: Contained;
  /** Where it starts; a real path that the policy lets it see. */
  cwd: string;
  /** A folder of its session that is its /tmp. */
  tmp: string;
  /** What is mounted over guarded paths, such as a private folder over `.git`. */
  overlays?: readonly MountOverlay[];
  /** Whether the caller opens the filter, and has the kernel end the command first: otherwise a shell does both. */
  opensFilter?: boolean;
  /** The network that it joins instead of having its own; where its policy grants the network it means nothing. */
  network?: SharedNetwork | null;
  /** What is shown besides, in a folder of its own below `/run`. */
  mounts?: readonly Mount[];
}

/** A network in which there is nothing but the loopback of the commands that join it. */
export interface SharedNetwork {
  /** The words before a program that run it there. */
  entry: readonly [string, ...string[]];
  close(): void;
}

/** The invocation that is spawned instead. */
export interface WrappedCommand extends Invocation {
  /** Removes the mount points made for the command; to be called when it has ended. */
  release(): void;
}
