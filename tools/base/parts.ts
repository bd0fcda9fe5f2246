import type { Log } from '../../hub/base/plugin.js';
import type { MethodName, ParamsOf, ResultOf } from '../../hub/protocol/methods/method_table.js';

/** The hub as the tools reach it: as any client does. */
export interface HubLink {
  call<M extends MethodName>(
    method: M,
    params: ParamsOf<M>,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<ResultOf<M>>;
}

/** What every plugin of the tools is made with. */
export interface ToolParts {
  hub: HubLink;
  log: Log;
  clock(): number;
  newId(): string;
  machine: MachinePaths;
  config: ToolConfig;
}

/** Folders of this machine that matter to what a call may touch. */
export interface MachinePaths {
  /** The home folder of the person. */
  userHome: string;
  /** Where cognition keeps everything. */
  cognitionHome: string;
  /** What is known of commands while they run. */
  commands: string;
  /** The search path of programs, for commands that get no environment of a person's. */
  path: string;
}

/** What a person has configured for the tools, read anew for each call. */
export interface ToolConfig {
  /** The most bytes of one output that are stored. */
  outputBytesMax(): number;
  /** Names of hosts that may be fetched from although their addresses are private. */
  httpAllowed(): readonly string[];
  /** How to reach a database; null for a name that is not configured. */
  postgres(name: string): string | null;
  postgresNames(): readonly string[];
}
