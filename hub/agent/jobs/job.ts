import { callEnd } from '../../base/call_end.js';
import type { ToolAnswer } from '../../protocol/methods/tool_methods.js';
import type { External, NodeId, Output, TreeId, TurnId } from '../../protocol/node.js';

/** A command that a model runs in the background. */
export interface Job {
  readonly tree: TreeId;
  /** The turn that began it. */
  readonly turn: TurnId;
  readonly name: string;
  /** The id of its command. */
  readonly id: NodeId;
  readonly command: string;
  readonly startedAtMs: number;
  /** How much of its output the model has been told of. */
  seenBytes: number;
  /** Whether no other command reaches its ports. */
  readonly isAlone: boolean;
  /** Null while it runs. */
  end: JobEnd | null;
  /** Who stops it, in words; null when nobody does. */
  stoppedBy: string | null;
  /** Ends it with all its processes. */
  stop(): void;
  /** Resolves when it has ended, however that came. */
  ended: Promise<void>;
}

export interface JobStart extends Pick<Job, 'tree' | 'turn' | 'name' | 'id' | 'command' | 'startedAtMs'> {
  /** Runs the command to its end, or until the signal. */
  run(around: { signal: AbortSignal; onStarted(how: { isAlone: boolean }): void }): Promise<ToolAnswer>;
  /** What it has left in the project, for the person; asked once it has ended. Never fails. */
  left(): Promise<readonly string[]>;
}

interface JobEnd {
  atMs: number;
  exitCode: number | null;
  /** In words, such as `exit code 1`. */
  how: string;
  output: Output | null;
  /** Whether the model knows. */
  isTold: boolean;
}

/** Begins a job. `started` fails where its command did not begin: then it is none, and `finish` is not called. */
export function beginJob(
  { run, left, ...begun }: JobStart,
  finish: (job: Job, external: External | null, left: Promise<readonly string[]>) => void,
): { job: Job; started: Promise<unknown> } {
  const controller = new AbortController();
  let tellStarted = (): void => undefined;
  const told = new Promise<void>((resolve) => {
    tellStarted = resolve;
  });
  let isAlone = false;
  const onStarted = (how: { isAlone: boolean }): void => {
    isAlone = how.isAlone;
    tellStarted();
  };
  const running = run({ signal: controller.signal, onStarted });
  const started = Promise.race([told, running]);
  const job: Job = {
    ...{ ...begun, seenBytes: 0, end: null, stoppedBy: null },
    get isAlone() {
      return isAlone;
    },
    stop: () => controller.abort(),
    ended: started.then(
      async () => finish(job, (await running.catch(() => null))?.external ?? null, left()),
      () => undefined, // its caller gets the failure
    ),
  };
  return { job, started };
}

/** How a job ended whose command came to this; null when that is not known. */
export function endOf({ stoppedBy }: Pick<Job, 'stoppedBy'>, external: External | null, atMs: number): JobEnd {
  const how = external === null ? 'interrupted' : (callEnd(external).how ?? 'exit code 0');
  return {
    atMs,
    exitCode: external?.exit_code ?? null,
    how: stoppedBy === null ? how : `stopped by ${stoppedBy}`,
    output: external?.output ?? null,
    isTold: false,
  };
}

/** What to say of a job: that it runs, or how it has ended. */
export function jobWords({ name, end, isAlone }: Pick<Job, 'name' | 'end' | 'isAlone'>): string {
  if (end !== null) return `job ${name} has ended: ${end.how}`;
  const reach = isAlone ? '; other commands cannot reach its ports, because nsenter (util-linux) is missing here' : '';
  return `job ${name} is running${reach}`;
}
