import { join } from 'node:path';
import { HubError } from '../../../hub/base/error.js';
import type { SandboxKind } from '../../../hub/protocol/methods/tool_methods.js';
import type { MachinePaths, ToolParts } from '../../base/tool_parts.js';
import { attempt } from '../attempt.js';
import { findSecrets } from '../hidden_paths.js';
import { type SandboxCommand, type SharedNetwork, startedBy, type WrappedCommand } from '../invocation.js';
import { realPath } from '../machine.js';
import { makePlan } from '../mount_plan.js';
import { createMountPoints } from '../mount_points.js';
import { findNestedRepositories } from '../nested_repositories.js';
import { filterFileIn } from './filter_file.js';
import type { Form, FormTrial } from './form.js';
import { formsOf } from './forms.js';
import { probe } from './probe.js';
import { reportOf, type SandboxReport } from './sandbox_report.js';
import { openSharedNetwork } from './shared_network.js';

/** Confines models' commands on this machine. Nothing is tried before the first call. */
export interface Sandbox {
  /** The form that holds here, probed at the first call. With `none`, `wrap` throws. */
  report(): Promise<SandboxReport>;
  /** The wrapped command passes on the environment and descriptor 3 that it is spawned with. */
  wrap(command: SandboxCommand): Promise<WrappedCommand>;
  /** Makes a network for several commands; null where that cannot be done. */
  openNetwork(): Promise<SharedNetwork | null>;
}

/** The sandbox of this machine; `only` restricts it to one kind of form. */
export function findSandbox(parts: Pick<ToolParts, 'machine' | 'log'>, options: { only?: SandboxKind } = {}): Sandbox {
  const { log } = parts;
  const machine = withRealPaths(parts.machine);
  const points = createMountPoints(join(machine.cognitionHome, 'mount-points'));
  const nested = findNestedRepositories();
  const secrets = findSecrets(machine);
  let trials: Promise<FormTrial[]> | null = null;
  const tidyError = attempt(() => points.tidy());
  if (tidyError !== null) log('warn', `what sandboxes left behind could not be put away: ${tidyError.message}`);

  function wrapWith(form: Form, command: SandboxCommand): WrappedCommand {
    const { policy, cwd, tmp, overlays = [], mounts = [] } = command;
    const network = policy.network ? null : (command.network ?? null);
    const plan = makePlan({ policy, cwd, tmp, machine, points, nested, secrets, overlays, extra: mounts });
    const release = once(() => {
      for (const point of plan.mountPoints.toReversed()) points.release(point);
    });
    try {
      const ownNetwork = !policy.network && network === null;
      const invocation = form.invocation({ plan, command, machine, ownNetwork });
      return { ...(network === null ? invocation : startedBy(network.entry, invocation)), release };
    } catch (error) {
      release();
      throw error;
    }
  }

  async function probeForms(): Promise<FormTrial[]> {
    const results: FormTrial[] = [];
    for (const form of formsOf(options.only ?? null, filterFileIn(machine.cognitionHome))) {
      const trial = await probe(form, { machine, wrap: (command) => wrapWith(form, command) });
      results.push(trial);
      if (trial.failure === null) break;
      log('info', `the sandbox ${form.name} does not hold here: ${trial.failure}`);
    }
    return results;
  }

  function probed(): Promise<FormTrial[]> {
    trials ??= probeForms().catch((error: unknown) => {
      trials = null; // it may work later
      throw error;
    });
    return trials;
  }

  async function holdingForm(): Promise<Form | null> {
    return (await probed()).find(({ failure }) => failure === null)?.form ?? null;
  }

  return {
    report: async () => reportOf(await probed()),
    async openNetwork() {
      const form = await holdingForm();
      return form === null ? null : openSharedNetwork(form);
    },
    async wrap(command) {
      const form = await holdingForm();
      if (form !== null) return wrapWith(form, command);
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
