import { join } from 'node:path';
import { HubError } from '../../hub/base/error.js';
import type { SandboxKind } from '../../hub/protocol/methods/tool_methods.js';
import type { Contained } from '../../hub/protocol/policy.js';
import type { MachinePlace, ToolParts } from '../base/parts.js';
import { type Form, formsOf } from './forms.js';
import { realPath } from './machine.js';
import { makePlan } from './mount_plan.js';
import { createMountPoints } from './mount_points.js';
import { probe } from './probe.js';
import { reportOf } from './sandbox_report.js';
import { attempt } from './try_errno.js';

/** A program with its arguments, as it is spawned. */
export interface Invocation {
  program: string;
  arguments: readonly string[];
}

/** What is to run inside. */
export interface Inside extends Invocation {
  policy: Contained;
  /** Where it starts; a real path that the policy lets it see. */
  cwd: string;
  /** A folder of its session that is its /tmp. */
  tmp: string;
}

export interface Wrapped extends Invocation {
  /** Puts away what the outside needed to make for it; to be called when it has ended. */
  release(): void;
}

export interface SandboxReport {
  kind: SandboxKind;
  /** What was tried from inside and failed, as it must. */
  holds: string[];
  problem: string | null;
  hint: string | null;
}

/** What keeps models' commands in on this machine. Nothing is tried before somebody asks. */
export interface Sandbox {
  /** What works here, found out at the first question by doing inside what must fail. With `none`, `wrap` refuses. */
  report(): Promise<SandboxReport>;
  /** The environment is the spawner's to give: what is wrapped passes it on, and descriptor 3 too. */
  wrap(inside: Inside): Promise<Wrapped>;
}

/** What was found out about a form: where it lets something through, or cannot be used at all. */
export interface Trial {
  form: Form;
  holds: string[];
  /** Null when it holds. */
  failure: string | null;
}

/** The sandbox of this machine; `only` asks for one form of it. */
export function findSandbox(parts: Pick<ToolParts, 'place' | 'log'>, options: { only?: SandboxKind } = {}): Sandbox {
  const { log } = parts;
  const place = realPlace(parts.place);
  const points = createMountPoints(join(place.cognitionHome, 'mount-points'));
  let trials: Promise<Trial[]> | null = null;
  const untidy = attempt(() => points.tidy());
  if (untidy !== null) log('warn', `what sandboxes left behind could not be put away: ${untidy.message}`);

  function wrapWith(form: Form, inside: Inside): Wrapped {
    const plan = makePlan({ policy: inside.policy, cwd: inside.cwd, tmp: inside.tmp, place, points });
    const release = once(() => {
      for (const point of plan.made.toReversed()) points.release(point);
    });
    try {
      return { ...form.invocation({ plan, inside, place }), release };
    } catch (error) {
      release();
      throw error;
    }
  }

  async function tryForms(): Promise<Trial[]> {
    const tried: Trial[] = [];
    for (const form of formsOf(options.only ?? null)) {
      const trial = await probe(form, { place, wrap: (inside) => wrapWith(form, inside) });
      tried.push(trial);
      if (trial.failure === null) break;
      log('info', `the sandbox ${form.name} does not hold here: ${trial.failure}`);
    }
    return tried;
  }

  function tried(): Promise<Trial[]> {
    trials ??= tryForms();
    return trials;
  }

  return {
    report: async () => reportOf(await tried()),
    async wrap(inside) {
      const holding = (await tried()).find(({ failure }) => failure === null);
      if (holding !== undefined) return wrapWith(holding.form, inside);
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
