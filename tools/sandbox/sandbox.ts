import { join } from 'node:path';
import { HubError } from '../../hub/base/error.js';
import type { SandboxKind } from '../../hub/protocol/methods/tool_methods.js';
import type { MachinePaths, ToolParts } from '../base/tool_parts.js';
import { attempt } from './attempt.js';
import type { Form, FormTrial } from './form.js';
import { formsOf } from './forms.js';
import type { SandboxCommand, WrappedCommand } from './invocation.js';
import { realPath } from './machine.js';
import { makePlan } from './mount_plan.js';
import { createMountPoints } from './mount_points.js';
import { probe } from './probe.js';
import { reportOf, type SandboxReport } from './sandbox_report.js';

/** Confines models' commands on this machine. Nothing is tried before the first call. */
export interface Sandbox {
  /** The form that holds here, probed at the first call. With `none`, `wrap` throws. */
  report(): Promise<SandboxReport>;
  /** The wrapped command passes on the environment and descriptor 3 that it is spawned with. */
  wrap(command: SandboxCommand): Promise<WrappedCommand>;
}

/** The sandbox of this machine; `only` restricts it to one kind of form. */
export function findSandbox(parts: Pick<ToolParts, 'machine' | 'log'>, options: { only?: SandboxKind } = {}): Sandbox {
  const { log } = parts;
  const machine = withRealPaths(parts.machine);
  const points = createMountPoints(join(machine.cognitionHome, 'mount-points'));
  let trials: Promise<FormTrial[]> | null = null;
  const tidyError = attempt(() => points.tidy());
  if (tidyError !== null) log('warn', `what sandboxes left behind could not be put away: ${tidyError.message}`);

  function wrapWith(form: Form, command: SandboxCommand): WrappedCommand {
    const plan = makePlan({ policy: command.policy, cwd: command.cwd, tmp: command.tmp, machine, points });
    const release = once(() => {
      for (const point of plan.mountPoints.toReversed()) points.release(point);
    });
    try {
      return { ...form.invocation({ plan, command, machine }), release };
    } catch (error) {
      release();
      throw error;
    }
  }

  async function probeForms(): Promise<FormTrial[]> {
    const results: FormTrial[] = [];
    for (const form of formsOf(options.only ?? null)) {
      const trial = await probe(form, { machine, wrap: (command) => wrapWith(form, command) });
      results.push(trial);
      if (trial.failure === null) break;
      log('info', `the sandbox ${form.name} does not hold here: ${trial.failure}`);
    }
    return results;
  }

  function probed(): Promise<FormTrial[]> {
    trials ??= probeForms();
    return trials;
  }

  return {
    report: async () => reportOf(await probed()),
    async wrap(command) {
      const holding = (await probed()).find(({ failure }) => failure === null);
      if (holding !== undefined) return wrapWith(holding.form, command);
      const { problem, hint } = reportOf(await probed());
      throw new HubError('sandbox_unavailable', `no sandbox works here: ${problem}`, { hint: hint ?? '' });
    },
  };
}

/** Otherwise a home folder that is a link would be hidden under its name only. */
function withRealPaths(machine: MachinePaths): MachinePaths {
  const real = (path: string): string => realPath(path) ?? path;
  return { ...machine, userHome: real(machine.userHome), cognitionHome: real(machine.cognitionHome) };
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) act();
    isDone = true;
  };
}
