import type { ToolAnswer } from '../../../hub/protocol/methods/tool_methods.js';
import type { ExchangeEnd } from '../../../hub/protocol/outside_agent.js';
import { storeOutcome, type ToolCall } from '../../base/outcome.js';
import type { ToolParts } from '../../base/tool_parts.js';
import { AGENT_SOURCE, NO_CALLS } from '../history/agent_source.js';
import type { ExchangeMetadata } from './first_words.js';
import type { RunRecord } from './run_records.js';
import type { RunText } from './run_text.js';

const VERSION = '1.0.0';
/** How much of a task the node repeats. */
const TASK_LENGTH_MAX = 200;

export interface EndedRun {
  record: RunRecord;
  call: ToolCall;
  run: RunText;
  end: Pick<ExchangeEnd, 'session' | 'at' | 'fault'>;
}

/** Appends what an agent did: the run as a stored output, and for models what it called. */
export function storeRun({ hub, clock }: Pick<ToolParts, 'hub' | 'clock'>, ended: EndedRun): Promise<ToolAnswer> {
  const { record, call, run, end } = ended;
  const { agent, version, cwd, task } = record;
  const { session, at, fault } = end;
  const bytes = run.bytes();
  const metadata: ExchangeMetadata = { agent, version, session, at, cwd, fault: fault?.kind ?? null };
  const lines = [run.told(), fault === null ? null : `(${fault.message})`].filter((line) => line);
  return storeOutcome(hub, call, {
    tool: agent,
    input: { task: task.length > TASK_LENGTH_MAX ? `${task.slice(0, TASK_LENGTH_MAX)}…` : task },
    handle: {
      ...{ source: AGENT_SOURCE, source_version: VERSION, identifier: `${agent}/${session ?? call.id}` },
      metadata: fault === null ? metadata : { ...metadata, reason: fault.message },
    },
    output: bytes.length === 0 ? null : { pieces: [bytes], totalBytes: bytes.length },
    blocks: [{ type: 'text', text: lines.length === 0 ? NO_CALLS : lines.join('\n') }],
    ...{ exit_code: fault === null ? 0 : 1, signal: null, cwd },
    duration_ms: Math.max(0, Math.round(clock() - record.started_at_ms)),
  });
}
