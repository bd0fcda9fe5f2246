import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../../hub/base/disk/durable_file.js';
import type { ExchangeEnd } from '../../../hub/protocol/outside_agent.js';
import { valueOrNull } from '../../sandbox/attempt.js';
import type { AgentExchange } from './exchange_parts.js';

/** The longest text of a line in `messages.jsonl`; the tree has all of it. */
const MESSAGE_LENGTH_MAX = 20_000;

/** Writes `info.json` of an agent, and what it is told to `messages.jsonl`. A full disk stops no exchange. */
export function noteBegin(exchange: AgentExchange, nowMs: number): void {
  writeInfo(exchange, { state: 'working', session: null, fault: null, ended_at: null });
  addMessage(exchange, nowMs, { from: 'person', text: exchange.path.task });
}

/** The same at the end, with its answer. */
export function noteEnd(exchange: AgentExchange, nowMs: number, { text, session, fault }: ExchangeEnd): void {
  const state = fault === null ? 'done' : 'failed';
  writeInfo(exchange, { state, session, fault: fault?.kind ?? null, ended_at: new Date(nowMs).toISOString() });
  addMessage(exchange, nowMs, { from: exchange.instance.id, text });
}

interface EndInfo {
  state: 'working' | 'done' | 'failed';
  session: string | null;
  fault: string | null;
  ended_at: string | null;
}

function writeInfo({ params, cli, instance, version, record, place }: AgentExchange, end: EndInfo): void {
  const info = {
    ...{ id: instance.id, agent: cli.name, version, role: params.role ?? 'default', instance: instance.number },
    ...{ model: params.model, tree: params.place.tree, node: params.id, project: params.project, cwd: params.cwd },
    ...{ task: record.task.slice(0, MESSAGE_LENGTH_MAX), started_at: new Date(record.started_at_ms).toISOString() },
    ...end,
  };
  valueOrNull(() => replaceFile(join(place.folders.agent, 'info.json'), `${JSON.stringify(info, null, 2)}\n`));
}

function addMessage(
  { params, place }: AgentExchange,
  nowMs: number,
  { from, text }: { from: string; text: string },
): void {
  const at = new Date(nowMs).toISOString();
  const line = JSON.stringify({ at, node: params.id, from, text: text.slice(0, MESSAGE_LENGTH_MAX) });
  valueOrNull(() => appendFileSync(join(place.folders.agent, 'messages.jsonl'), `${line}\n`, { mode: 0o600 }));
}
