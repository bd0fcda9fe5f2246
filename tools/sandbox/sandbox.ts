import { join } from 'node:path';
import { HubError } from '../../hub/base/error.js';
import type { SandboxKind } from '../../hub/protocol/methods/tool_methods.js';
import type { MachinePlace, ToolParts } from '../base/parts.js';
import type { Form, FormTrial } from './form.js';
import { formsOf } from './forms.js';
import type { SandboxCommand, WrappedCommand } from './invocation.js';
import { realPath } from './machine.js';
import { makePlan } from './mount_plan.js';
import { createMountPoints } from './mount_points.js';
import { probe } from './probe.js';
import { reportOf, type SandboxReport } from './sandbox_report.js';
import { attempt } from './try_errno.js';

/** What keeps models' commands in on this machine. Nothing is tried before somebody asks. */
export interface Sandbox {
  /** What works here, found out at the first question by doing inside what must fail. With `none`, `wrap` refuses. */
  report(): Promise<SandboxReport>;
  /** The environment is the spawner's to give: what is wrapped passes it on, and descriptor 3 too. */
  wrap(command: SandboxCommand): Promise<WrappedCommand>;
}

/** The sandbox of this machine; `only` asks for one form of it. */
export function findSandbox(parts: Pick<ToolParts, 'place' | 'log'>, options: { only?: SandboxKind } = {}): Sandbox {
  const { log } = parts;
  const place = realPlace(parts.place);
  const points = createMountPoints(join(place.cognitionHome, 'mount-points'));
  let trials: Promise<FormTrial[]> | null = null;
  const untidy = attempt(() => points.tidy());
  if (untidy !== null) log('warn', `what sandboxes left behind could not be put away: ${untidy.message}`);

  function wrapWith(form: Form, command: SandboxCommand): WrappedCommand {
    const plan = makePlan({ policy: command.policy, cwd: command.cwd, tmp: command.tmp, place, points });
    const release = once(() => {
      for (const point of plan.mountPoints.toReversed()) points.release(point);
    });
    try {
      return { ...form.invocation({ plan, command, place }), release };
    } catch (error) {
      release();
      throw error;
    }
  }

  async function tryForms(): Promise<FormTrial[]> {
    const tried: FormTrial[] = [];
    for (const form of formsOf(options.only ?? null)) {
      const trial = await probe(form, { place, wrap: (command) => wrapWith(form, command) });
      tried.push(trial);
      if (trial.failure === null) break;
      log('info', `the sandbox ${form.name} does not hold here: ${trial.failure}`);
    }
    return tried;
  }

  function tried(): Promise<FormTrial[]> {
    trials ??= tryForms();
    return trials;
  }

  return {
    report: async () => reportOf(await tried()),
    async wrap(command) {
      const holding = (await tried()).find(({ failure }) => failure === null);
      if (holding !== undefined) return wrapWith(holding.form, command);
      const { problem, hint } = reportOf(await tried());
      throw new HubError('sandbox_unavailable', `no sandbox works here: ${problem}`, { hint: hint ?? '' });
    },
  };
}

/** A home folder that is a link would be hidden by its name only. */
function realPlace(place: MachinePlace): MachinePlace {
  const real = (path: string): string => realPath(path) ?? path;
  return { ...place, userHome: real(place.userHome), cognitionHome: real(place.cognitionHome) };
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) act();
    isDone = true;
  };
}
