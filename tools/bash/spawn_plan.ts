import { mkdirSync } from 'node:fs';
import { errnoOf } from '../../hub/base/errno.js';
import { HubError } from '../../hub/base/error.js';
import type { Contained } from '../../hub/protocol/policy.js';
import type { ToolParts } from '../base/tool_parts.js';
import type { PrivateGit } from '../private_git/private_git.js';
import type { SpawnPlan } from '../process/spawn_process.js';
import type { Sandbox } from '../sandbox/forms/sandbox.js';
import type { SandboxReport } from '../sandbox/forms/sandbox_report.js';
import type { SharedNetwork } from '../sandbox/invocation.js';
import type { MountOverlay } from '../sandbox/mounts.js';
import { applyChanges, type Changes, type Environment, sparseEnvironment } from './environment.js';
import type { BashSession } from './sessions.js';
import type { Control } from './shell_state.js';
import { findBash } from './working_folder.js';

/** Set in the environment of every process that a command starts. */
const MARKER_VARIABLE = 'COGNITION_COMMAND';

/** What starting a shell needs, inside a sandbox or not. */
export interface ShellStart {
  control: Control;
  cwd: string;
  environment: Environment;
}

/** The environment of a command: the caller's with the changes of its branch, or a sparse one. */
export function environmentOf(session: BashSession, changes: Changes, parts: ToolParts): Environment {
  const { environment, policy } = session;
  if (policy.kind === 'contained' || environment === null) return sparseEnvironment(environment, parts.machine);
  return applyChanges(environment, changes);
}

/** Adds the marker of a command's processes, and its folder as a shell passes it on. */
export function withMarker(environment: Environment, { marker, cwd }: { marker: string; cwd: string }): Environment {
  return { ...environment, PWD: cwd, [MARKER_VARIABLE]: marker };
}

/** How a shell is started outside a sandbox. */
export function openPlan({ control, cwd, environment }: ShellStart, parts: ToolParts): SpawnPlan {
  return {
    program: findBash([environment.PATH, parts.machine.path]),
    arguments: ['-c', control.argument],
    calledAs: 'bash',
    cwd,
    environment: { ...environment, ...control.environment },
    controlFd: control.fd,
  };
}

export interface ContainedStart {
  policy: Contained;
  tmp: string;
  sandbox: Sandbox;
  privateGit: PrivateGit;
  network: SharedNetwork | null;
  /** What runs on after its turn has taken its commits over commits nothing, nor does a copy: its private git folder is read-only. */
  background: boolean;
}

/** How a shell is started in a sandbox; `release` is called when it has ended. */
export async function containedPlan(
  { control, cwd, environment }: ShellStart,
  { policy, tmp, sandbox, privateGit, network, background }: ContainedStart,
): Promise<SpawnPlan & { release(): void }> {
  const report = await sandbox.report();
  if (report.kind === 'none') throw notContained(report);
  // It may have been cleared meanwhile.
  mkdirSync(tmp, { recursive: true, mode: 0o700 });
  const overlays = await privateGit.overlays(policy);
  const wrapped = await sandbox.wrap({
    program: 'bash',
    arguments: ['-c', control.argument],
    opensFilter: true,
    ...{
      policy,
      cwd,
      tmp,
      network,
      overlays: background || policy.copy !== undefined ? overlays.map(readOnly) : overlays,
    },
  });
  return {
    program: wrapped.program,
    arguments: wrapped.arguments,
    calledAs: wrapped.program,
    // The sandbox sets the working folder inside.
    cwd: '/',
    // What makes the sandbox may be a shell script as well: as `sh` no shell reads BASH_ENV.
    environment: { ...environment, ...control.environment },
    controlFd: control.fd,
    ...(wrapped.filter === undefined ? {} : { filter: wrapped.filter }),
    release: wrapped.release,
  };
}

function readOnly({ over, mounts }: MountOverlay): MountOverlay {
  return { over, mounts: mounts.map((mount) => (mount.kind === 'bind' ? { ...mount, writable: false } : mount)) };
}

/** The error for a command that must be contained where no sandbox works. */
function notContained(report: SandboxReport): HubError {
  const reason = report.problem === null ? '' : `: ${report.problem}`;
  return new HubError('approval_needed', `no sandbox works on this machine${reason}`, {
    hint: report.hint ?? 'install bubblewrap, or open the session with the policy "open" if you accept what that means',
  });
}

/** The error for a shell that could not be started. */
export function spawnError(error: unknown, environment: Environment): unknown {
  const code = errnoOf(error);
  if (code === 'E2BIG') {
    const bytes = Object.entries(environment).reduce((sum, [name, value]) => sum + name.length + value.length + 2, 0);
    return new HubError('limit', `the environment is too large for a process: ${bytes} bytes`, {
      hint: 'no single variable may have 128 KiB; unset the largest ones',
      cause: error,
    });
  }
  if (code === 'EAGAIN' || code === 'EMFILE' || code === 'ENFILE' || code === 'ENOMEM') {
    return new HubError('limit', `the system has no room for another process (${code})`, {
      hint: 'end some first, or raise the limits of processes and open files',
      retryable: true,
      cause: error,
    });
  }
  if (code === 'ENOENT' || code === 'EACCES') {
    return new HubError('not_found', `the command could not be started (${code})`, {
      hint: 'its folder or bash has gone away meanwhile',
      cause: error,
    });
  }
  return error;
}
