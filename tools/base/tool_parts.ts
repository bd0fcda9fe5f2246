import type { Log } from '../../hub/base/plugin.js';
import type { MethodName, ParamsOf, ResultOf } from '../../hub/protocol/methods/method_table.js';
import type { ShrinkImage } from './image.js';

/** The hub, called as any client calls it. */
export interface HubLink {
  call<M extends MethodName>(
    method: M,
    params: ParamsOf<M>,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<ResultOf<M>>;
}

/** The dependencies of every plugin of the tools. */
export interface ToolParts {
  hub: HubLink;
  log: Log;
  clock(): number;
  newId(): string;
  machine: MachinePaths;
  /** The private folder of this process, with one for each session: what its contained commands see as `/tmp`. */
  sessionsFolder: string;
  config: ToolConfig;
  shrinkImage: ShrinkImage;
}

/** Folders of this machine on which policies depend. */
export interface MachinePaths {
  /** The home folder of the person. */
  userHome: string;
  /** The home folder of cognition. */
  cognitionHome: string;
  /** The folder of records of running commands. */
  commands: string;
  /** The search path for commands without a person's environment. */
  path: string;
}

/** The preferences of the tools, read anew for each call. */
export interface ToolConfig {
  /** The most bytes of one output that are stored. */
  outputBytesMax(): number;
  /** Names of hosts that may be fetched from although their addresses are private. */
  httpAllowed(): readonly string[];
  /** How to reach a database; null for a name that is not configured. */
  postgres(name: string): string | null;
  postgresNames(): readonly string[];
  /** The person's lines of models and the agents that carry them. */
  agentModels(): string;
  /** Whether the files of projects are recorded. */
  filesRecorded(): boolean;
}
