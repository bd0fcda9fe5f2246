import type { CallContext } from '../../../hub/base/plugin.js';
import type { ParsedOf } from '../../../hub/protocol/methods/method_table.js';
import type { ToolCall } from '../../base/outcome.js';
import type { ToolParts } from '../../base/tool_parts.js';
import type { AgentCli } from '../agent_cli.js';
import type { LaunchParts, LaunchPlace } from '../process/launch.js';
import type { Versions } from '../process/versions.js';
import type { RoleTool } from '../roles/role_file.js';
import type { AgentInstance, AgentInstances } from './agent_instances.js';
import type { SessionTips } from './first_words.js';
import type { KeptSpeakers } from './kept_speakers.js';
import type { LeftMessage } from './left_messages.js';
import type { RunRecord } from './run_records.js';
import type { RunText } from './run_text.js';
import type { SplitPath } from './told_path.js';

export type ExchangeParams = ParsedOf<'outside.run'>;

export interface ExchangeParts extends ToolParts, LaunchParts {
  kept: KeptSpeakers;
  tips: SessionTips;
  instances: AgentInstances;
  versions: Versions;
  /** The folder of what runs now. */
  runs: string;
}

/** All that one exchange works with. */
export interface AgentExchange {
  params: ExchangeParams;
  context: CallContext;
  cli: AgentCli;
  instance: AgentInstance;
  path: SplitPath;
  place: LaunchPlace;
  version: string | null;
  instructions: string | null;
  /** What its role may use; null for all that it has. */
  tools: readonly RoleTool[] | null;
  /** The messages of agents that there were before. */
  messages: readonly LeftMessage[];
  timeMs: number;
  record: RunRecord;
  call: ToolCall;
  run: RunText;
}
